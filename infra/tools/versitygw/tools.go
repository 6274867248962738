//go:build tools

// Package tools pins the S3 server that stands in for S3 on the local stage.
package tools

import (
	_ "github.com/versity/versitygw/cmd/versitygw"
)
