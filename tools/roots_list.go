package tools

import "context"

// Roots are the folders that calls may touch when the client names none, as absolute paths.
func (s *Server) Roots(ctx context.Context) []string {
	var list []string
	for _, r := range s.roots(ctx, &Call{}) {
		list = append(list, string(r))
	}
	return list
}
