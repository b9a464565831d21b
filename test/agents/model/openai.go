package model

import (
	"strings"
)

// responses is the protocol of Codex.
var responses = protocol{
	history: func(body map[string]any) (calls int, results []string) {
		var said []string // by the program, before a result
		for _, item := range items(body["input"]) {
			switch item["type"] {
			case "function_call", "custom_tool_call", "tool_search_call":
				calls++
				said = nil
			case "function_call_output", "custom_tool_call_output":
				results = append(results, strings.Join(append([]string{words(item["output"])}, said...), "\n"))
			case "tool_search_output":
				results = append(results, text(item["tools"]))
			case "message":
				if item["role"] == "developer" {
					said = append(said, words(item["content"]))
				}
			}
		}
		return calls, results
	},
	answer: func(w *stream, turn Turn, id string) {
		item := obj{
			"type": "message", "role": "assistant", "id": "msg_" + id,
			"content": []any{obj{"type": "output_text", "text": turn.Text, "annotations": []any{}}},
		}
		space, name, spaced := strings.Cut(turn.Tool, "/")
		if !spaced {
			name = turn.Tool
		}
		switch {
		case turn.Tool == "tool_search":
			item = obj{"type": "tool_search_call", "call_id": id, "execution": "client", "status": "completed", "arguments": turn.Args}
		case turn.Free != "":
			item = obj{"type": "custom_tool_call", "id": "ctc_" + id, "call_id": id, "name": name, "input": turn.Free}
		case turn.Tool != "":
			item = obj{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": name, "arguments": text(turn.Args)}
			if spaced {
				item["namespace"] = space
			}
		}
		response := obj{"id": "resp_" + id, "object": "response", "status": "in_progress", "output": []any{}}
		w.event("response.created", obj{"type": "response.created", "response": response})
		w.event("response.output_item.done", obj{"type": "response.output_item.done", "output_index": 0, "item": item})
		w.event("response.completed", obj{"type": "response.completed", "response": obj{
			"id": "resp_" + id, "object": "response", "status": "completed", "output": []any{item},
			"usage": obj{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
		}})
	},
}

// chat is the protocol of OpenCode, with a provider that is like OpenAI.
var chat = protocol{
	history: func(body map[string]any) (calls int, results []string) {
		for _, m := range items(body["messages"]) {
			switch m["role"] {
			case "assistant":
				calls += len(items(m["tool_calls"]))
			case "tool":
				results = append(results, words(m["content"]))
			}
		}
		return calls, results
	},
	answer: func(w *stream, turn Turn, id string) {
		message, reason := obj{"role": "assistant", "content": turn.Text}, "stop"
		if turn.Tool != "" {
			message, reason = obj{"role": "assistant", "content": nil, "tool_calls": []any{obj{
				"index": 0, "id": id, "type": "function", "function": obj{"name": turn.Tool, "arguments": text(turn.Args)},
			}}}, "tool_calls"
		}
		usage := obj{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
		answer := func(kind string, choice obj) obj {
			return obj{"id": "chat_" + id, "object": kind, "created": 1, "model": w.request["model"], "choices": []any{choice}, "usage": usage}
		}
		if !w.events {
			w.whole(answer("chat.completion", obj{"index": 0, "message": message, "finish_reason": reason}))
			return
		}
		w.event("", answer("chat.completion.chunk", obj{"index": 0, "delta": message, "finish_reason": nil}))
		w.event("", answer("chat.completion.chunk", obj{"index": 0, "delta": obj{}, "finish_reason": reason}))
		w.event("", "[DONE]")
	},
}
