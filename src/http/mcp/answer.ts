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
  type Prompt,
  ReadResourceRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import type { Gateway } from '../../guard/dispatch.ts'
import type { RpcRequest } from '../../guard/rpc-request.ts'
import type { Caller } from '../../kernel/ctx.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Ask } from '../ask.ts'
import type { McpDocuments } from './documents.ts'
import { callTool, listTools } from './tools.ts'

interface McpRoom {
  gateway: Gateway
  ask: Ask
  documents: McpDocuments
  version: string
}

/** One message of a client, and its sender. */
interface McpMessage {
  message: unknown
  caller: Caller
  request: Omit<RpcRequest, 'text'>
}

const RESOURCE_NOT_FOUND = -32002
const INSTRUCTIONS = [
  'Tools are the actions of a Nano payment gateway. Amounts in fields that end in _nano are nano, other ledger amounts are raw; 1 nano is 10^30 raw.',
  'Tools that move money or create something need a key, and take an idempotency_key: use a new one for each operation, and the same one when you retry.',
  'A payment counts only once it is confirmed.',
].join(' ')

interface McpAnswer {
  status: number
  /** JSON; empty where a message needs no answer. */
  text: string
}

const noMessage = () =>
  new AppError('invalid_request', 'This is not an MCP message.', {
    body: {
      detail: `Send a JSON-RPC 2.0 message in a supported protocol version: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`,
    },
  })

/** Answers one message of MCP. Nothing is kept between two messages: each brings its own credentials. */
export async function answerMcp(room: McpRoom, { message, caller, request }: McpMessage): Promise<McpAnswer> {
  const server = openServer(room, { caller, request })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport)
    // The client's own Accept and Content-Type are ignored: both bodies are JSON in any case.
    const headers = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' })
    const version = request.headers['mcp-protocol-version']
    if (typeof version === 'string') headers.set('mcp-protocol-version', version)
    const response = await transport.handleRequest(new Request('http://localhost/mcp', { method: 'POST', headers }), {
      parsedBody: message,
    })
    if (!response.ok) throw noMessage()
    // Read before the server is closed, which would cut the body off.
    return { status: response.status, text: await response.text() }
  } finally {
    await server.close()
  }
}

function openServer(
  { gateway, ask, documents, version }: McpRoom,
  { caller, request }: Pick<McpMessage, 'caller' | 'request'>,
): Server {
  const { registry, seller } = gateway
  const server = new Server(
    { name: 'nano-gateway', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  )
  const isSold = (action: string) => caller.kind === 'anonymous' && (seller?.goods.has(action) ?? false)
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools(registry, caller, isSold) }))
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

interface Written extends Prompt {
  text(given: Readonly<Record<string, string>>): string
}

/** The most frequent tasks of agents, in words that lead to the right tools. */
const PROMPTS: readonly Written[] = [
  {
    name: 'take_payment',
    title: 'Take a payment',
    description: 'Make a checkout and wait until it is paid.',
    arguments: [
      { name: 'address', description: 'Who is paid: an address or @name.', required: true },
      { name: 'amount', description: 'How much, in nano or in the currency.', required: true },
      { name: 'currency', description: 'NANO, or a code such as USD.' },
    ],
    text: ({ address, amount, currency = 'NANO' }) =>
      `Make a checkout with the tool checkout for ${amount} ${currency} to ${address}, with a new idempotency_key. Give the payer the link in \`browser\`. Then poll the URL in \`check\` now and then: only the status complete, with a block, is a payment. Report what was paid and the hash of the block.`,
  },
  {
    name: 'check_account',
    title: 'Check an account',
    description: 'Balance, receivable amounts and the latest blocks.',
    arguments: [{ name: 'account', description: 'An address or @name.', required: true }],
    text: ({ account }) =>
      `Check the account ${account} with the tools account_balance, receivable (array "true") and account_history (count 10). Amounts whose name ends in _nano are nano, the others raw. Report its balance, what is receivable, and its latest blocks.`,
  },
  {
    name: 'send_payment',
    title: 'Send from a cloud wallet',
    description: 'Send nano from a wallet of your account, once.',
    arguments: [
      { name: 'wallet', description: 'Address of the wallet.', required: true },
      { name: 'to', description: 'The recipient: an address or @name.', required: true },
      { name: 'amount', description: 'How much, in nano.', required: true },
    ],
    text: ({ wallet, to, amount }) =>
      `Send ${amount} nano from the cloud wallet ${wallet} to ${to}. First check with cloud_wallet {balance: true, account} that it holds enough, and ask the user to confirm recipient and amount. Then call cloud_wallet {send, amount, account} with one new idempotency_key; if the answer is lost, call again with the same one and never with another. Report the hash.`,
  },
  {
    name: 'pay_for_call',
    title: 'Pay for one call',
    description: 'Buy a call that has a price, without a key.',
    arguments: [{ name: 'action', description: 'The tool to buy, such as work_generate.', required: true }],
    text: ({ action }) =>
      `Call ${action}. Its error has the price under _meta["x402/error"].accepts. If your budget allows it, sign a send block of exactly that amount to payTo without publishing it, and call again with the same arguments and the payment under _meta["x402/payment"]. The receipt is under _meta["x402/payment-response"]. A payment buys one call: the same payment with the same arguments gets the same answer again.`,
  },
]

const listPrompts = (): Prompt[] => PROMPTS.map(({ text: _text, ...prompt }) => prompt)

/** The text of a prompt; undefined for an unknown prompt, and the missing argument's name for an incomplete one. */
function writePrompt(
  name: string,
  given: Readonly<Record<string, string>>,
): { text: string; description: string } | { missing: string } | undefined {
  const prompt = PROMPTS.find((each) => each.name === name)
  if (!prompt) return undefined
  const missing = prompt.arguments?.find((each) => each.required && !given[each.name])
  return missing ? { missing: missing.name } : { text: prompt.text(given), description: prompt.description ?? '' }
}
