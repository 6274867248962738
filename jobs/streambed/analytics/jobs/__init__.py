"""The bundled jobs, a file each; a job of your own is a file like these, anywhere."""
