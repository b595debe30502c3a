//! The SDK for Rust as its users write it: `client <base URL> <binding> <version> <webhook> [<ended task>]`, a line of
//! JSON for each case. With the webhook `none`, the cases of an agent without webhooks that requires an extension. With
//! the id of an ended task, the cases of a completed task are about that one.

use std::sync::Arc;

use a2a::*;
use a2a_client::agent_card::AgentCardResolver;
use a2a_client::client::A2AClient;
use a2a_client::{A2AClientFactory, Transport};
use a2a_grpc::{GrpcTransport, GrpcTransportFactory};
use chrono::{DateTime, Utc};
use futures::stream::{BoxStream, StreamExt};
use serde_json::{Value, json};

const WEBHOOK: &str = "https://example.com/hook";

type Client = A2AClient<Box<dyn Transport>>;
type Stream = BoxStream<'static, Result<StreamResponse, A2AError>>;
type Got = Result<Value, A2AError>;

fn request(scenario: &str, task: Option<&Task>) -> SendMessageRequest {
    let mut message = Message::new(Role::User, vec![Part::text("Hello")]);
    message.message_id = format!("{scenario}-{}", message.message_id);
    message.task_id = task.map(|task| task.id.clone());
    message.context_id = task.map(|task| task.context_id.clone());
    SendMessageRequest { message, configuration: None, metadata: None, tenant: None }
}

fn without_parts() -> SendMessageRequest {
    let mut bad = request("tck-complete-task", None);
    bad.message.parts.clear();
    bad
}

fn state(status: &TaskStatus) -> String {
    let name = json!(status.state).as_str().unwrap_or_default().to_lowercase();
    name.trim_start_matches("task_state_").replace('_', "-")
}

fn text(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::as_text).collect()
}

fn fact(event: &StreamResponse) -> String {
    match event {
        StreamResponse::Task(_) => "task".into(),
        StreamResponse::Message(_) => "message".into(),
        StreamResponse::StatusUpdate(update) => state(&update.status),
        StreamResponse::ArtifactUpdate(update) => format!("artifact {}", text(&update.artifact.parts)),
    }
}

fn name<T>(result: Result<T, A2AError>) -> String {
    let Err(error) = result else { return "none".into() };
    match error.code {
        error_code::TASK_NOT_FOUND => "TaskNotFound".into(),
        error_code::TASK_NOT_CANCELABLE => "TaskNotCancelable".into(),
        error_code::INVALID_PARAMS => "InvalidParams".into(),
        error_code::UNSUPPORTED_OPERATION => "UnsupportedOperation".into(),
        error_code::CONTENT_TYPE_NOT_SUPPORTED => "ContentTypeNotSupported".into(),
        error_code::PUSH_NOTIFICATION_NOT_SUPPORTED => "PushNotificationNotSupported".into(),
        error_code::EXTENDED_CARD_NOT_CONFIGURED => "ExtendedAgentCardNotConfigured".into(),
        error_code::EXTENSION_SUPPORT_REQUIRED => "ExtensionSupportRequired".into(),
        _ => error.to_string(),
    }
}

async fn stream_error(stream: Result<Stream, A2AError>) -> String {
    let Ok(mut events) = stream else { return name(stream) };
    while let Some(event) = events.next().await {
        if event.is_err() {
            return name(event);
        }
    }
    "none".into()
}

fn hook(task_id: &str, url: &str) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        url: url.into(),
        id: Some("hook".into()),
        task_id: task_id.into(),
        token: None,
        authentication: None,
        tenant: None,
    }
}

fn list(context_id: Option<String>) -> ListTasksRequest {
    ListTasksRequest {
        context_id,
        status: None,
        page_size: None,
        page_token: None,
        history_length: None,
        status_timestamp_after: None,
        include_artifacts: None,
        tenant: None,
    }
}

fn cancel(id: &str) -> CancelTaskRequest {
    CancelTaskRequest { id: id.into(), metadata: None, tenant: None }
}

fn subscribe(id: &str) -> SubscribeToTaskRequest {
    SubscribeToTaskRequest { id: id.into(), tenant: None }
}

fn get(id: &str) -> GetTaskRequest {
    GetTaskRequest { id: id.into(), history_length: None, tenant: None }
}

fn one_hook(task_id: &str, id: &str) -> GetTaskPushNotificationConfigRequest {
    GetTaskPushNotificationConfigRequest { task_id: task_id.into(), id: id.into(), tenant: None }
}

fn hooks(task_id: &str) -> ListTaskPushNotificationConfigsRequest {
    ListTaskPushNotificationConfigsRequest { task_id: task_id.into(), page_size: None, page_token: None, tenant: None }
}

fn no_hook(task_id: &str) -> DeleteTaskPushNotificationConfigRequest {
    DeleteTaskPushNotificationConfigRequest { task_id: task_id.into(), id: "hook".into(), tenant: None }
}

struct Cases {
    client: Client,
    webhook: String,
    ended: Option<String>,
}

impl Cases {
    async fn ask(&self, scenario: &str) -> Result<Task, A2AError> {
        if let ("tck-complete-task", Some(id)) = (scenario, &self.ended) {
            return self.client.get_task(&get(id)).await;
        }
        match self.client.send_message(&request(scenario, None)).await? {
            SendMessageResponse::Task(task) => Ok(task),
            SendMessageResponse::Message(_) => Err(A2AError::internal("the answer is a message")),
        }
    }

    async fn follow(&self, scenario: &str, task: Option<&Task>) -> Result<Vec<String>, A2AError> {
        let mut events = self.client.send_streaming_message(&request(scenario, task)).await?;
        let mut facts = vec![];
        while let Some(event) = events.next().await {
            facts.push(fact(&event?));
        }
        Ok(facts)
    }

    async fn send(&self) -> Got {
        let Task { status, .. } = self.ask("tck-complete-task").await?;
        let said = status.message.as_ref().map(|message| text(&message.parts));
        Ok(json!({ "state": state(&status), "text": said }))
    }

    async fn reply(&self) -> Got {
        match self.client.send_message(&request("tck-message-response", None)).await? {
            SendMessageResponse::Message(message) => Ok(json!(text(&message.parts))),
            SendMessageResponse::Task(_) => Ok(json!("a task")),
        }
    }

    async fn stream(&self) -> Got {
        Ok(json!(self.follow("tck-stream-artifact-chunked", None).await?))
    }

    async fn follow_up(&self) -> Got {
        let task = self.ask("tck-input-required").await?;
        let events = self.follow("tck-complete-task", Some(&task)).await?;
        Ok(json!({ "asked": state(&task.status), "events": events }))
    }

    async fn get(&self) -> Got {
        let task = self.ask("tck-complete-task").await?;
        Ok(json!(state(&self.client.get_task(&get(&task.id)).await?.status)))
    }

    async fn list(&self) -> Got {
        let task = self.ask("tck-complete-task").await?;
        let page = self.client.list_tasks(&list(Some(task.context_id))).await?;
        let own: Vec<bool> = page.tasks.iter().map(|each| each.id == task.id).collect();
        Ok(json!({ "tasks": own, "pageSize": page.page_size }))
    }

    async fn cancel(&self) -> Got {
        let task = self.ask("tck-input-required").await?;
        Ok(json!(state(&self.client.cancel_task(&cancel(&task.id)).await?.status)))
    }

    async fn not_found(&self) -> Got {
        Ok(json!(name(self.client.get_task(&get("nothing")).await)))
    }

    async fn not_cancelable(&self) -> Got {
        let task = self.ask("tck-complete-task").await?;
        Ok(json!(name(self.client.cancel_task(&cancel(&task.id)).await)))
    }

    async fn invalid(&self) -> Got {
        let result = self.client.send_message(&without_parts()).await;
        let message = result.as_ref().err().map(A2AError::to_string).unwrap_or_default();
        Ok(json!({ "error": name(result), "namesField": message.contains("message.parts") }))
    }

    async fn stream_errors(&self) -> Got {
        let task = self.ask("tck-complete-task").await?;
        Ok(json!({
            "unknown": stream_error(self.client.subscribe_to_task(&subscribe("nothing")).await).await,
            "ended": stream_error(self.client.subscribe_to_task(&subscribe(&task.id)).await).await,
            "invalid": stream_error(self.client.send_streaming_message(&without_parts()).await).await,
        }))
    }

    async fn list_after(&self) -> Got {
        let task = self.ask("tck-complete-task").await?;
        let mut found = vec![];
        for after in ["2000-01-01T00:00:00Z", "2050-01-01T00:00:00Z"] {
            let mut filter = list(Some(task.context_id.clone()));
            filter.status_timestamp_after = after.parse::<DateTime<Utc>>().ok();
            found.push(self.client.list_tasks(&filter).await?.tasks.len());
        }
        Ok(json!(found))
    }

    async fn push(&self) -> Got {
        let task = self.ask("tck-input-required").await?;
        self.client.create_push_config(&hook(&task.id, WEBHOOK)).await?;
        Ok(json!(self.client.get_push_config(&one_hook(&task.id, "hook")).await?.url))
    }

    async fn push_list(&self) -> Got {
        let task = self.ask("tck-input-required").await?;
        self.client.create_push_config(&hook(&task.id, WEBHOOK)).await?;
        let listed = self.client.list_push_configs(&hooks(&task.id)).await?.configs.len();
        self.client.delete_push_config(&no_hook(&task.id)).await?;
        let left = self.client.list_push_configs(&hooks(&task.id)).await?.configs.len();
        Ok(json!({ "listed": listed, "left": left }))
    }

    async fn resubscribe(&self) -> Got {
        let mut begun = self.client.send_streaming_message(&request("test-resubscribe-message-id", None)).await?;
        let Some(Ok(StreamResponse::Task(task))) = begun.next().await else { return Ok(json!("no task")) };
        drop(begun);
        let mut events = self.client.subscribe_to_task(&subscribe(&task.id)).await?;
        let mut facts: Vec<String> = vec![];
        while let Some(event) = events.next().await {
            if facts.is_empty() {
                self.client.cancel_task(&cancel(&task.id)).await?;
            }
            facts.push(fact(&event?));
        }
        Ok(json!([facts.first(), facts.last()]))
    }

    async fn webhook(&self) -> Got {
        let mut asked = request("tck-complete-task", None);
        asked.configuration = Some(SendMessageConfiguration {
            accepted_output_modes: None,
            task_push_notification_config: Some(hook("", &self.webhook)),
            history_length: None,
            return_immediately: None,
        });
        match self.client.send_message(&asked).await? {
            SendMessageResponse::Task(task) => Ok(json!(task.id)),
            SendMessageResponse::Message(_) => Ok(json!("a message")),
        }
    }

    async fn errors(&self) -> Got {
        let ended = self.ask("tck-complete-task").await?;
        let waiting = self.ask("tck-input-required").await?;
        let unknown = Task { id: "nothing".into(), ..ended.clone() };
        let elsewhere = Task { context_id: "elsewhere".into(), ..waiting.clone() };
        let send = async |task: &Task| name(self.client.send_message(&request("tck-complete-task", Some(task))).await);
        let mut strange = request("tck-complete-task", None);
        strange.message.parts[0].media_type = Some("model/gltf+json".into());
        let mut wrong_page = list(None);
        wrong_page.page_token = Some("nothing".into());
        let card = GetExtendedAgentCardRequest { tenant: None };
        Ok(json!({
            "send to no task": send(&unknown).await,
            "send to an ended task": send(&ended).await,
            "send to another context": send(&elsewhere).await,
            "send a strange type": name(self.client.send_message(&strange).await),
            "list a wrong page": name(self.client.list_tasks(&wrong_page).await),
            "cancel no task": name(self.client.cancel_task(&cancel("nothing")).await),
            "hook of no task": name(self.client.create_push_config(&hook("nothing", WEBHOOK)).await),
            "hook without URL": name(self.client.create_push_config(&hook(&waiting.id, "no URL")).await),
            "read no hook": name(self.client.get_push_config(&one_hook(&waiting.id, "nothing")).await),
            "list hooks of no task": name(self.client.list_push_configs(&hooks("nothing")).await),
            "delete a hook of no task": name(self.client.delete_push_config(&no_hook("nothing")).await),
            "extended card": name(self.client.get_extended_agent_card(&card).await),
        }))
    }

    async fn refusals(&self) -> Got {
        let asked = request("tck-complete-task", None);
        Ok(json!({
            "send": name(self.client.send_message(&asked).await),
            "stream": stream_error(self.client.send_streaming_message(&asked).await).await,
            "hook": name(self.client.create_push_config(&hook("nothing", WEBHOOK)).await),
            "read a hook": name(self.client.get_push_config(&one_hook("nothing", "hook")).await),
        }))
    }
}

/// What an agent says to a client that names none: connected to an address instead of a card's interface.
async fn refusal_without_tenant(address: &str) -> Got {
    let transport = GrpcTransport::connect(address).await?;
    let answer = A2AClient::new(transport).send_message(&request("tck-complete-task", None)).await;
    Ok(json!(answer.err().map(|error| error.to_string())))
}

async fn connect(url: &str, binding: &str) -> Result<(Client, AgentCard), A2AError> {
    let mut card = AgentCardResolver::new(None).resolve(url).await?;
    card.supported_interfaces.retain(|each| each.protocol_binding == binding && each.protocol_version == "1.0");
    let factory = A2AClientFactory::builder().register(Arc::new(GrpcTransportFactory::new())).build();
    Ok((factory.create_from_card(&card).await?, card))
}

fn report(name: &str, got: Got) {
    match got {
        Ok(got) => println!("{}", json!({ "case": name, "got": got })),
        Err(error) => println!("{}", json!({ "case": name, "failed": error.to_string() })),
    }
}

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (client, card) = match connect(&args[1], &args[2]).await {
        Ok(connected) => connected,
        Err(error) => return report("card", Err(error)),
    };
    let cases = Cases { client, webhook: args[4].clone(), ended: args.get(5).cloned() };
    if args[4] == "none" {
        report("refusals", cases.refusals().await);
        if args[2] == "GRPC" {
            report("withoutTenant", refusal_without_tenant(&card.supported_interfaces[0].url).await);
        }
        return;
    }
    report("card", Ok(json!(card.name)));
    report("send", cases.send().await);
    report("reply", cases.reply().await);
    report("stream", cases.stream().await);
    report("follow_up", cases.follow_up().await);
    report("get", cases.get().await);
    report("list", cases.list().await);
    report("cancel", cases.cancel().await);
    report("not_found", cases.not_found().await);
    report("not_cancelable", cases.not_cancelable().await);
    report("invalid", cases.invalid().await);
    report("stream_errors", cases.stream_errors().await);
    report("list_after", cases.list_after().await);
    report("push", cases.push().await);
    report("push_list", cases.push_list().await);
    report("resubscribe", cases.resubscribe().await);
    report("webhook", cases.webhook().await);
    report("errors", cases.errors().await);
}
