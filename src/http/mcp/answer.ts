import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { type Gateway } from '../../guard/passing.ts'
import type { RpcRequest } from '../../guard/rpc-request.ts'
import type { Caller } from '../../kernel/ctx.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Ask } from '../ask.ts'
import type { McpDocuments } from './documents.ts'
import { listPrompts, writePrompt } from './prompts.ts'
import type { SetName } from './sets.ts'
import { callTool, listTools } from './tools.ts'

interface McpContext {
  gateway: Gateway
  ask: Ask
  documents: McpDocuments
  version: string
}

interface McpMessage {
  message: unknown
  caller: Caller
  /** The sets of tools named in the address. */
  sets: readonly SetName[] | undefined
  request: Omit<RpcRequest, 'text'>
}

const RESOURCE_NOT_FOUND = -32002
const INSTRUCTIONS = [
  'Tools are the actions of a Nano payment gateway. Amounts in fields that end in _nano are nano, other ledger amounts are raw; 1 nano is 10^30 raw.',
  'Tools that move money or create something need a key, and take an idempotency_key: use a new one for each operation, and the same one when you retry.',
  'A payment counts only once it is confirmed: make a checkout, then call checkout_status with wait_seconds until it is complete.',
].join(' ')

interface McpAnswer {
  status: number
  /** JSON; empty if the message gets no answer. */
  text: string
}

const noMessage = () =>
  new AppError('invalid_request', 'This is not an MCP message.', {
    body: {
      detail: `Send a JSON-RPC 2.0 message in a supported protocol version: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`,
    },
  })

/** Answers one MCP message. Nothing is kept between messages, so each contains its own credentials. */
export async function answerMcp(
  context: McpContext,
  { message, caller, sets, request }: McpMessage,
): Promise<McpAnswer> {
  const server = openServer(context, { caller, sets, request })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport)
    // Both bodies are always JSON, whatever Accept and Content-Type the client sends.
    const headers = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' })
    const version = request.headers['mcp-protocol-version']
    if (typeof version === 'string') headers.set('mcp-protocol-version', version)
    const response = await transport.handleRequest(new Request('http://localhost/mcp', { method: 'POST', headers }), {
      parsedBody: message,
    })
    if (!response.ok) throw noMessage()
    // Read before closing the server, because closing cuts off the body.
    return { status: response.status, text: await response.text() }
  } finally {
    await server.close()
  }
}

function openServer(
  { gateway, ask, documents, version }: McpContext,
  { caller, sets, request }: Omit<McpMessage, 'message'>,
): Server {
  const { registry, seller } = gateway
  const server = new Server(
    { name: 'nano-gateway', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  )
  const isSold = (action: string) => caller.kind === 'anonymous' && (seller?.goods.has(action) ?? false)
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools({ registry, caller, isSold, sets }) }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool({ registry, ask, hasKey: caller.kind === 'account' }, request, params),
  )
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: documents.list() }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const text = documents.read(uri)
    if (text === undefined) throw new McpError(RESOURCE_NOT_FOUND, 'Resource not found.')
    return { contents: [{ uri, mimeType: 'text/markdown', text }] }
  })
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: listPrompts() }))
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: given = {} } }) => {
    const written = writePrompt(name, given)
    if (!written) throw new McpError(ErrorCode.InvalidParams, 'Prompt not found.')
    if ('missing' in written)
      throw new McpError(ErrorCode.InvalidParams, `The argument ${written.missing} is required.`)
    const { text, description } = written
    return { description, messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] }
  })
  return server
}
