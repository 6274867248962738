//go:build tools

// Package tools pins the Pulumi CLI, which is built from the Go module proxy.
package tools

import (
	_ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
)
