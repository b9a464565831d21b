//go:build openbsd || dragonfly

package prompt

import "os"

// hasAttributes says whether a file has attributes that a copy would not have. These systems have none.
func hasAttributes(*os.File) bool { return false }
