//! An agent of the SDK for Rust, as its users write it: `agent <port>`. The text of a message says what it does.

use std::sync::Arc;
use std::time::Duration;

use a2a::*;
use a2a_server::{AgentExecutor, DefaultRequestHandler, ExecutorContext, InMemoryTaskStore, StaticAgentCard};
use futures::stream::{self, BoxStream, StreamExt};

struct Executor;

fn status(ctx: &ExecutorContext, state: TaskState, text: Option<&str>) -> StreamResponse {
    StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
        task_id: ctx.task_id.clone(),
        context_id: ctx.context_id.clone(),
        status: TaskStatus { state, message: text.map(says), timestamp: None },
        metadata: None,
    })
}

fn says(text: &str) -> Message {
    Message::new(Role::Agent, vec![Part::text(text)])
}

fn artifact(ctx: &ExecutorContext, part: Part, append: bool, last_chunk: bool) -> StreamResponse {
    StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
        task_id: ctx.task_id.clone(),
        context_id: ctx.context_id.clone(),
        artifact: Artifact {
            artifact_id: "a".into(),
            name: None,
            description: None,
            parts: vec![part],
            metadata: None,
            extensions: None,
        },
        append: Some(append),
        last_chunk: Some(last_chunk),
        metadata: None,
    })
}

impl AgentExecutor for Executor {
    fn execute(&self, ctx: ExecutorContext) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
        let wish = ctx.message.as_ref().and_then(Message::text).unwrap_or_default().to_string();
        Box::pin(async_stream::try_stream! {
            if wish == "reply" {
                yield StreamResponse::Message(says("Just a message"));
                return;
            }
            yield status(&ctx, TaskState::Working, None);
            match wish.as_str() {
                "chunks" => {
                    for (index, text) in ["Two ", "pizzas ", "🍕🍕"].into_iter().enumerate() {
                        yield artifact(&ctx, Part::text(text), index > 0, index == 2);
                    }
                }
                "file" => {
                    let part = Part::raw(vec![0, 1, 255]).with_media_type("application/octet-stream");
                    yield artifact(&ctx, part.with_filename("a.bin"), false, true);
                }
                "boom" => Err(A2AError::internal("The oven is cold"))?,
                "ask" => {
                    yield status(&ctx, TaskState::InputRequired, Some("Which size?"));
                    return;
                }
                "wait" => tokio::time::sleep(Duration::from_secs(60)).await,
                _ => {}
            }
            yield status(&ctx, TaskState::Completed, Some("Done"));
        })
    }

    fn cancel(&self, ctx: ExecutorContext) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
        stream::once(async move { Ok(status(&ctx, TaskState::Canceled, None)) }).boxed()
    }
}

fn card(port: u16) -> AgentCard {
    let at = |path: &str, binding: &str| AgentInterface::new(format!("http://127.0.0.1:{port}{path}"), binding);
    AgentCard {
        name: "Rust".into(),
        description: "An agent of the SDK for Rust.".into(),
        version: "1".into(),
        supported_interfaces: vec![at("/rpc", TRANSPORT_PROTOCOL_JSONRPC), at("/rest", TRANSPORT_PROTOCOL_HTTP_JSON)],
        capabilities: AgentCapabilities {
            streaming: Some(true),
            push_notifications: None,
            extensions: None,
            extended_agent_card: None,
        },
        default_input_modes: vec!["text/plain".into()],
        default_output_modes: vec!["text/plain".into()],
        skills: vec![AgentSkill {
            id: "s".into(),
            name: "S".into(),
            description: "S".into(),
            tags: vec!["s".into()],
            examples: None,
            input_modes: None,
            output_modes: None,
            security_requirements: None,
        }],
        provider: None,
        documentation_url: None,
        icon_url: None,
        security_schemes: None,
        security_requirements: None,
        signatures: None,
    }
}

#[tokio::main]
async fn main() {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).expect("agent <port>");
    let handler = Arc::new(DefaultRequestHandler::new(Executor, InMemoryTaskStore::new()));
    let app = axum::Router::new()
        .merge(a2a_server::agent_card::agent_card_router(Arc::new(StaticAgentCard::new(card(port)))))
        .nest("/rpc", a2a_server::jsonrpc::jsonrpc_router(handler.clone()))
        .nest("/rest", a2a_server::rest::rest_router(handler));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.expect("a free port");
    println!("ready");
    axum::serve(listener, app).await.expect("a server");
}
