package model

// gemini is the protocol of Gemini CLI.
var gemini = protocol{
	history: func(body map[string]any) (calls int, results []string) {
		for _, content := range items(body["contents"]) {
			for _, part := range items(content["parts"]) {
				if _, ok := part["functionCall"]; ok {
					calls++
				}
				if answer, ok := part["functionResponse"].(obj); ok {
					results = append(results, geminiResult(answer["response"]))
				}
			}
		}
		return calls, results
	},
	answer: func(w *stream, turn Turn, _ string) {
		part := obj{"text": turn.Text}
		if turn.Tool != "" {
			part = obj{"functionCall": obj{"name": turn.Tool, "args": turn.Args}}
		}
		answer := obj{
			"candidates":    []any{obj{"content": obj{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
			"usageMetadata": obj{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
		}
		if w.events {
			w.event("", answer)
			return
		}
		w.whole(answer)
	},
}

// geminiResult is the output or the error of a tool.
func geminiResult(v any) string {
	response, _ := v.(obj)
	for _, name := range []string{"output", "error"} {
		if s, ok := response[name].(string); ok {
			return s
		}
	}
	return words(v)
}
