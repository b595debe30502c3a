// An agent of the SDK for Go, as its users write it: `agent <port> <version>`. The text of a message says what it does.
package main

import (
	"context"
	"errors"
	"iter"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

type executor struct{}

func says(text string) *a2a.Message {
	return a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(text))
}

func wish(message *a2a.Message) string {
	text := ""
	for _, part := range message.Parts {
		text += part.Text()
	}
	return text
}

func (executor) Execute(ctx context.Context, task *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		status := func(state a2a.TaskState, message *a2a.Message) bool {
			return yield(a2a.NewStatusUpdateEvent(task, state, message), nil)
		}
		wish := wish(task.Message)
		if wish == "reply" {
			yield(says("Just a message"), nil)
			return
		}
		if task.StoredTask == nil && !yield(a2a.NewSubmittedTask(task, task.Message), nil) {
			return
		}
		if !status(a2a.TaskStateWorking, nil) {
			return
		}
		switch wish {
		case "chunks":
			for index, text := range []string{"Two ", "pizzas ", "🍕🍕"} {
				chunk := a2a.NewArtifactUpdateEvent(task, "a", a2a.NewTextPart(text))
				chunk.Append, chunk.LastChunk = index > 0, index == 2
				if !yield(chunk, nil) {
					return
				}
			}
		case "file":
			part := a2a.NewRawPart([]byte{0, 1, 255})
			part.Filename, part.MediaType = "a.bin", "application/octet-stream"
			if !yield(a2a.NewArtifactEvent(task, part), nil) {
				return
			}
		case "boom":
			yield(nil, errors.New("The oven is cold"))
			return
		case "ask":
			status(a2a.TaskStateInputRequired, says("Which size?"))
			return
		case "wait":
			select {
			case <-ctx.Done():
				return
			case <-time.After(60 * time.Second):
			}
		}
		status(a2a.TaskStateCompleted, says("Done"))
	}
}

func (executor) Cancel(_ context.Context, task *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(task, a2a.TaskStateCanceled, nil), nil)
	}
}

func main() {
	url, version := "http://127.0.0.1:"+os.Args[1], a2a.ProtocolVersion(os.Args[2])
	at := func(path string, binding a2a.TransportProtocol) *a2a.AgentInterface {
		return &a2a.AgentInterface{URL: url + path, ProtocolBinding: binding, ProtocolVersion: version}
	}
	card := &a2a.AgentCard{
		Name:               "Go",
		Description:        "An agent of the SDK for Go.",
		Version:            "1",
		Capabilities:       a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Skills:             []a2a.AgentSkill{{ID: "s", Name: "S", Description: "S", Tags: []string{"s"}}},
		SupportedInterfaces: []*a2a.AgentInterface{
			at("/rpc", a2a.TransportProtocolJSONRPC), at("/rest", a2a.TransportProtocolHTTPJSON),
		},
	}
	handler := a2asrv.NewHandler(executor{})
	rpc, rest, cards := a2asrv.NewJSONRPCHandler(handler), a2asrv.NewRESTHandler(handler), a2asrv.NewStaticAgentCardHandler(card)
	if version == a2av0.Version {
		rpc, rest = a2av0.NewJSONRPCHandler(handler), a2av0.NewRESTHandler(handler)
		cards = a2asrv.NewAgentCardHandler(a2av0.NewStaticAgentCardProducer(card))
	}
	http.Handle(a2asrv.WellKnownAgentCardPath, cards)
	http.Handle("/rpc", rpc)
	http.Handle("/rest/", http.StripPrefix("/rest", rest))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
