"""How far events come behind each other, and so how long a watermark has to wait for them."""
