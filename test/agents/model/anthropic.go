package model

// anthropic is the protocol of Claude Code.
var anthropic = protocol{
	history: func(body map[string]any) (calls int, results []string) {
		for _, m := range items(body["messages"]) {
			for _, block := range items(m["content"]) {
				switch block["type"] {
				case "tool_use":
					calls++
				case "tool_result":
					results = append(results, words(block["content"]))
				case "text":
					// What a hook says besides comes after the result, as a text.
					if n := len(results); n > 0 && m["role"] == "user" {
						results[n-1] += "\n" + words(block["text"])
					}
				}
			}
		}
		return calls, results
	},
	answer: func(w *stream, turn Turn, id string) {
		block, stop := obj{"type": "text", "text": ""}, "end_turn"
		delta := obj{"type": "text_delta", "text": turn.Text}
		full := obj{"type": "text", "text": turn.Text}
		if turn.Tool != "" {
			block, stop = obj{"type": "tool_use", "id": "toolu_" + id, "name": turn.Tool, "input": obj{}}, "tool_use"
			delta = obj{"type": "input_json_delta", "partial_json": text(turn.Args)}
			full = obj{"type": "tool_use", "id": "toolu_" + id, "name": turn.Tool, "input": turn.Args}
		}
		message := obj{
			"id": "msg_" + id, "type": "message", "role": "assistant", "model": w.request["model"], "content": []any{},
			"stop_reason": nil, "stop_sequence": nil, "usage": obj{"input_tokens": 1, "output_tokens": 1},
		}
		if !w.events {
			message["content"], message["stop_reason"] = []any{full}, stop
			w.whole(message)
			return
		}
		w.event("message_start", obj{"type": "message_start", "message": message})
		w.event("content_block_start", obj{"type": "content_block_start", "index": 0, "content_block": block})
		w.event("content_block_delta", obj{"type": "content_block_delta", "index": 0, "delta": delta})
		w.event("content_block_stop", obj{"type": "content_block_stop", "index": 0})
		w.event("message_delta", obj{
			"type": "message_delta", "delta": obj{"stop_reason": stop, "stop_sequence": nil}, "usage": obj{"output_tokens": 1},
		})
		w.event("message_stop", obj{"type": "message_stop"})
	},
}
