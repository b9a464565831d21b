package visible

import "testing"

func TestLine(t *testing.T) {
	tests := []struct{ name, in, utf8, ascii string }{
		{"plain", "naïve ✓", "naïve ✓", "na<ef>ve <2713>"},
		{"terminal escapes", "\x1b[2J\x1b]0;x\a", "^[[2J^[]0;x^G", "^[[2J^[]0;x^G"},
		{"line ends and tabs", "a\tb\r\n", "a^Ib^M^J", "a^Ib^M^J"},
		{"delete and C1", "\x7f\u009b31m", "^?<9b>31m", "^?<9b>31m"},
		{"direction of writing", "if \u202eadmin\u2066", "if <202e>admin<2066>", "if <202e>admin<2066>"},
		{"invisible", "a\u200bb\ufeffc\u00a0d", "a<200b>b<feff>c<a0>d", "a<200b>b<feff>c<a0>d"},
		{"no UTF-8", "\xe9t\xe9\xff", "<e9>t<e9><ff>", "<e9>t<e9><ff>"},
		{"the replacement character itself", "\ufffd", "\ufffd", "<fffd>"},
		{"joined emoji", "👩\u200d💻", "👩\u200d💻", "<1f469><200d><1f4bb>"},
		{"a joiner alone", "a\u200db", "a<200d>b", "a<200d>b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Line(tt.in, false); got != tt.utf8 {
				t.Errorf("Line(%q, false) = %q, want %q", tt.in, got, tt.utf8)
			}
			if got := Line(tt.in, true); got != tt.ascii {
				t.Errorf("Line(%q, true) = %q, want %q", tt.in, got, tt.ascii)
			}
		})
	}
}
