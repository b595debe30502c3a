// The Go SDK as its users write it: `interop <base URL> <binding> <version> <webhook> [<ended task>]`, a line of JSON
// for each case. With the webhook `none`, the cases of an agent without webhooks that requires an extension. With the id
// of an ended task, the cases of a completed task are about that one.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpcv0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const webhook = "https://example.com/hook"

type facts = map[string]any

type cases struct {
	client *a2aclient.Client
}

func request(scenario string, task *a2a.Task) *a2a.SendMessageRequest {
	message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("Hello"))
	message.ID = scenario + "-" + message.ID
	if task != nil {
		message.TaskID, message.ContextID = task.ID, task.ContextID
	}
	return &a2a.SendMessageRequest{Message: message}
}

func (c *cases) task(ctx context.Context, scenario string) (*a2a.Task, error) {
	if scenario == "tck-complete-task" && len(os.Args) > 5 {
		return c.client.GetTask(ctx, &a2a.GetTaskRequest{ID: a2a.TaskID(os.Args[5])})
	}
	answer, err := c.client.SendMessage(ctx, request(scenario, nil))
	if err != nil {
		return nil, err
	}
	task, isTask := answer.(*a2a.Task)
	if !isTask {
		return nil, fmt.Errorf("answered with %T", answer)
	}
	return task, nil
}

func state(state a2a.TaskState) string {
	name := strings.TrimPrefix(strings.ToLower(string(state)), "task_state_")
	return strings.ReplaceAll(name, "_", "-")
}

func text(parts a2a.ContentParts) string {
	var all strings.Builder
	for _, part := range parts {
		all.WriteString(part.Text())
	}
	return all.String()
}

func (c *cases) follow(ctx context.Context, scenario string, task *a2a.Task) ([]string, error) {
	events := []string{}
	for event, err := range c.client.SendStreamingMessage(ctx, request(scenario, task)) {
		if err != nil {
			return nil, err
		}
		events = append(events, fact(event))
	}
	return events, nil
}

func fact(event a2a.Event) string {
	switch event := event.(type) {
	case *a2a.Task:
		return "task"
	case *a2a.TaskStatusUpdateEvent:
		return state(event.Status.State)
	case *a2a.TaskArtifactUpdateEvent:
		return "artifact " + text(event.Artifact.Parts)
	default:
		return "message"
	}
}

// The errors that a caller of the SDK can tell apart.
var names = map[error]string{
	a2a.ErrTaskNotFound:         "TaskNotFound",
	a2a.ErrTaskNotCancelable:    "TaskNotCancelable",
	a2a.ErrInvalidParams:        "InvalidParams",
	a2a.ErrUnsupportedOperation: "UnsupportedOperation",

	a2a.ErrPushNotificationNotSupported: "PushNotificationNotSupported",
	a2a.ErrUnsupportedContentType:       "ContentTypeNotSupported",
	a2a.ErrExtendedCardNotConfigured:    "ExtendedAgentCardNotConfigured",
	a2a.ErrExtensionSupportRequired:     "ExtensionSupportRequired",
}

func name(err error) string {
	if err == nil {
		return "none"
	}
	for known, name := range names {
		if errors.Is(err, known) {
			return name
		}
	}
	return fmt.Sprint(err)
}

func (c *cases) send(ctx context.Context) (any, error) {
	task, err := c.task(ctx, "tck-complete-task")
	if err != nil {
		return nil, err
	}
	return facts{"state": state(task.Status.State), "text": text(task.Status.Message.Parts)}, nil
}

func (c *cases) reply(ctx context.Context) (any, error) {
	answer, err := c.client.SendMessage(ctx, request("tck-message-response", nil))
	if err != nil {
		return nil, err
	}
	message, isMessage := answer.(*a2a.Message)
	if !isMessage {
		return nil, fmt.Errorf("answered with %T", answer)
	}
	return text(message.Parts), nil
}

func (c *cases) stream(ctx context.Context) (any, error) {
	return c.follow(ctx, "tck-stream-artifact-chunked", nil)
}

func (c *cases) followUp(ctx context.Context) (any, error) {
	task, err := c.task(ctx, "tck-input-required")
	if err != nil {
		return nil, err
	}
	events, err := c.follow(ctx, "tck-complete-task", task)
	return facts{"asked": state(task.Status.State), "events": events}, err
}

func (c *cases) get(ctx context.Context) (any, error) {
	task, err := c.task(ctx, "tck-complete-task")
	if err != nil {
		return nil, err
	}
	found, err := c.client.GetTask(ctx, &a2a.GetTaskRequest{ID: task.ID})
	if err != nil {
		return nil, err
	}
	return state(found.Status.State), nil
}

func (c *cases) list(ctx context.Context) (any, error) {
	task, err := c.task(ctx, "tck-complete-task")
	if err != nil {
		return nil, err
	}
	page, err := c.client.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: task.ContextID})
	if err != nil {
		return nil, err
	}
	own := []bool{}
	for _, each := range page.Tasks {
		own = append(own, each.ID == task.ID)
	}
	return facts{"tasks": own, "pageSize": page.PageSize}, nil
}

func (c *cases) cancel(ctx context.Context) (any, error) {
	task, err := c.task(ctx, "tck-input-required")
	if err != nil {
		return nil, err
	}
	canceled, err := c.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: task.ID})
	if err != nil {
		return nil, err
	}
	return state(canceled.Status.State), nil
}

func (c *cases) notFound(ctx context.Context) (any, error) {
	_, err := c.client.GetTask(ctx, &a2a.GetTaskRequest{ID: "nothing"})
	return name(err), nil
}

func (c *cases) notCancelable(ctx context.Context) (any, error) {
	task, err := c.task(ctx, "tck-complete-task")
	if err != nil {
		return nil, err
	}
	_, err = c.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: task.ID})
	return name(err), nil
}

func (c *cases) invalid(ctx context.Context) (any, error) {
	bad := request("tck-complete-task", nil)
	bad.Message.Parts = a2a.ContentParts{}
	_, err := c.client.SendMessage(ctx, bad)
	return facts{"error": name(err), "namesField": strings.Contains(fmt.Sprint(err), "message.parts")}, nil
}

// The first error of a stream; a stream that ends without one is "none".
func streamError(events iter.Seq2[a2a.Event, error]) string {
	for _, err := range events {
		if err != nil {
			return name(err)
		}
	}
	return "none"
}

func (c *cases) streamErrors(ctx context.Context) (any, error) {
	task, err := c.task(ctx, "tck-complete-task")
	if err != nil {
		return nil, err
	}
	bad := request("tck-complete-task", nil)
	bad.Message.Parts = a2a.ContentParts{}
	return facts{
		"unknown": streamError(c.client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: "nothing"})),
		"ended":   streamError(c.client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: task.ID})),
		"invalid": streamError(c.client.SendStreamingMessage(ctx, bad)),
	}, nil
}

func (c *cases) resubscribe(ctx context.Context) (any, error) {
	var task a2a.TaskInfo
	for event, err := range c.client.SendStreamingMessage(ctx, request("test-resubscribe-message-id", nil)) {
		if err != nil {
			return nil, err
		}
		task = event.TaskInfo()
		break
	}
	events := []string{}
	for event, err := range c.client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: task.TaskID}) {
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			if _, err := c.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: task.TaskID}); err != nil {
				return nil, err
			}
		}
		events = append(events, fact(event))
	}
	return []string{events[0], events[len(events)-1]}, nil
}

func (c *cases) webhook(ctx context.Context) (any, error) {
	asked := request("tck-complete-task", nil)
	asked.Config = &a2a.SendMessageConfig{PushConfig: &a2a.PushConfig{ID: "hook", URL: os.Args[4], Token: "secret"}}
	answer, err := c.client.SendMessage(ctx, asked)
	if err != nil {
		return nil, err
	}
	return answer.TaskInfo().TaskID, nil
}

func (c *cases) sendError(ctx context.Context, request *a2a.SendMessageRequest) string {
	_, err := c.client.SendMessage(ctx, request)
	return name(err)
}

func (c *cases) errors(ctx context.Context) (any, error) {
	ended, err := c.task(ctx, "tck-complete-task")
	if err != nil {
		return nil, err
	}
	waiting, err := c.task(ctx, "tck-input-required")
	if err != nil {
		return nil, err
	}
	elsewhere := request("tck-complete-task", waiting)
	elsewhere.Message.ContextID = "elsewhere"
	strange := request("tck-complete-task", nil)
	strange.Message.Parts[0].MediaType = "model/gltf+json"
	_, list := c.client.ListTasks(ctx, &a2a.ListTasksRequest{PageToken: "nothing"})
	_, cancel := c.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: "nothing"})
	_, hook := c.client.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: "nothing", ID: "hook", URL: webhook})
	_, noURL := c.client.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: waiting.ID, ID: "hook", URL: "no URL"})
	_, read := c.client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: waiting.ID, ID: "nothing"})
	_, listed := c.client.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: "nothing"})
	deleted := c.client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: "nothing", ID: "hook"})
	_, card := c.client.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
	return facts{
		"send to no task":          c.sendError(ctx, request("tck-complete-task", &a2a.Task{ID: "nothing"})),
		"send to an ended task":    c.sendError(ctx, request("tck-complete-task", ended)),
		"send to another context":  c.sendError(ctx, elsewhere),
		"send a strange type":      c.sendError(ctx, strange),
		"list a wrong page":        name(list),
		"cancel no task":           name(cancel),
		"hook of no task":          name(hook),
		"hook without URL":         name(noURL),
		"read no hook":             name(read),
		"list hooks of no task":    name(listed),
		"delete a hook of no task": name(deleted),
		"extended card":            name(card),
	}, nil
}

func (c *cases) refusals(ctx context.Context) (any, error) {
	_, hook := c.client.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: "nothing", ID: "hook", URL: webhook})
	_, read := c.client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: "nothing", ID: "hook"})
	return facts{
		"send":        c.sendError(ctx, request("tck-complete-task", nil)),
		"stream":      streamError(c.client.SendStreamingMessage(ctx, request("tck-complete-task", nil))),
		"hook":        name(hook),
		"read a hook": name(read),
	}, nil
}

func (c *cases) listAfter(ctx context.Context) (any, error) {
	task, err := c.task(ctx, "tck-complete-task")
	if err != nil {
		return nil, err
	}
	found := []int{}
	for _, year := range []int{2000, 2050} {
		after := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		page, err := c.client.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: task.ContextID, StatusTimestampAfter: &after})
		if err != nil {
			return nil, err
		}
		found = append(found, len(page.Tasks))
	}
	return found, nil
}

func (c *cases) push(ctx context.Context) (any, error) {
	task, err := c.task(ctx, "tck-input-required")
	if err != nil {
		return nil, err
	}
	if _, err := c.client.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: task.ID, ID: "hook", URL: webhook}); err != nil {
		return nil, err
	}
	config, err := c.client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: task.ID, ID: "hook"})
	if err != nil {
		return nil, err
	}
	return config.URL, nil
}

func (c *cases) pushList(ctx context.Context) (any, error) {
	task, err := c.task(ctx, "tck-input-required")
	if err != nil {
		return nil, err
	}
	if _, err := c.client.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: task.ID, ID: "hook", URL: webhook}); err != nil {
		return nil, err
	}
	listed, err := c.client.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: task.ID})
	if err != nil {
		return nil, err
	}
	if err := c.client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: task.ID, ID: "hook"}); err != nil {
		return nil, err
	}
	left, err := c.client.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: task.ID})
	return facts{"listed": len(listed), "left": len(left)}, err
}

func connect(ctx context.Context, url, binding, version string) (*a2aclient.Client, string, error) {
	resolver := &agentcard.Resolver{}
	if version == string(a2av0.Version) {
		resolver.CardParser = a2av0.NewAgentCardParser()
	}
	card, err := resolver.Resolve(ctx, url)
	if err != nil {
		return nil, "", err
	}
	// An agent with only this binding and version: the SDK would choose the first of the card, and the newest.
	card.SupportedInterfaces = slices.DeleteFunc(card.SupportedInterfaces, func(each *a2a.AgentInterface) bool {
		return string(each.ProtocolBinding) != binding || string(each.ProtocolVersion) != version
	})
	plaintext := grpc.WithTransportCredentials(insecure.NewCredentials())
	client, err := a2aclient.NewFromCard(ctx, card,
		a2agrpc.WithGRPCTransport(plaintext),
		a2agrpcv0.WithGRPCTransport(plaintext),
		a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{}),
		a2av0.WithRESTTransport(a2av0.RESTTransportConfig{}))
	return client, card.Name, err
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	client, card, err := connect(ctx, os.Args[1], os.Args[2], os.Args[3])
	report("card", card, err)
	if err != nil {
		return
	}
	c := &cases{client}
	every := []struct {
		name string
		run  func(context.Context) (any, error)
	}{
		{"send", c.send}, {"reply", c.reply}, {"stream", c.stream}, {"follow_up", c.followUp}, {"get", c.get},
		{"list", c.list}, {"cancel", c.cancel}, {"not_found", c.notFound}, {"not_cancelable", c.notCancelable},
		{"invalid", c.invalid}, {"stream_errors", c.streamErrors}, {"list_after", c.listAfter}, {"push", c.push}, {"push_list", c.pushList},
		{"resubscribe", c.resubscribe}, {"webhook", c.webhook}, {"errors", c.errors}, {"refusals", c.refusals},
	}
	refusals := len(every) - 1
	if os.Args[4] == "none" {
		every = every[refusals:]
	} else {
		every = every[:refusals]
	}
	for _, each := range every {
		got, err := each.run(ctx)
		report(each.name, got, err)
	}
}

func report(name string, got any, err error) {
	line := facts{"case": name, "got": got}
	if err != nil {
		line = facts{"case": name, "failed": err.Error()}
	}
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}
