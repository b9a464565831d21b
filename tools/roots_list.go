package tools

import "context"

// Roots are the folders that calls may touch when the client names none, as absolute paths.
func (s *Server) Roots(ctx context.Context) []string {
	return texts(s.sandbox(ctx, &Call{}).roots)
}
