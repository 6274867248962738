//go:build tools

// Package tools pins Pulumi's Python language host. v3.79.0 is the last SDK
// release that carries it; it speaks to the current engine without complaint.
package tools

import (
	_ "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python"
)
