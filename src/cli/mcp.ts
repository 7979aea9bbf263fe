/* oxlint-disable unicorn/prefer-add-event-listener -- transports of the protocol are no event targets */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { Command } from 'commander'
import { type GatewayOptions, orUsage, readGateway } from './gateway-access.ts'

/**
 * Offers a gateway's tools to a program that speaks MCP over standard input. Every message goes to `POST /mcp` of the
 * gateway, so tools, rights and limits are the gateway's. Only protocol messages go to standard output.
 */
interface McpOptions extends GatewayOptions {
  tools?: string
}

export function serveMcp(options: McpOptions, command: Command): Promise<void> {
  return orUsage('mcp', () => serve(readGateway(options, command), options.tools))
}

async function serve({ url, key }: ReturnType<typeof readGateway>, tools: string | undefined): Promise<void> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const program = new StdioServerTransport()
  const address = new URL('/mcp', url)
  if (tools !== undefined) address.searchParams.set('tools', tools)
  const gateway = new StreamableHTTPClientTransport(address, { requestInit: { headers } })
  const underWay = new Set<Promise<void>>()
  program.onmessage = (message) => {
    const sent = gateway
      .send(message)
      .catch((error: unknown) => answerFor(program, message, error))
      .finally(() => underWay.delete(sent))
    underWay.add(sent)
  }
  gateway.onmessage = (message) => {
    const { result } = message as { result?: { protocolVersion?: unknown } }
    if (typeof result?.protocolVersion === 'string') gateway.setProtocolVersion(result.protocolVersion)
    program.send(message).catch(report)
  }
  program.onerror = report
  await gateway.start()
  await program.start()
  // A client may pipe messages in and close its end at once, so answer pending requests before exiting.
  process.stdin.on('end', () => void Promise.all(underWay).then(() => gateway.close().catch(report)))
}

const report = (error: unknown) =>
  console.error(`nano-gateway mcp: ${error instanceof Error ? error.message : String(error)}`)

/** Sends an error for a request that will get no answer, so that the program does not wait for ever. */
function answerFor(program: StdioServerTransport, message: JSONRPCMessage, error: unknown): void {
  report(error)
  if (!('id' in message) || !('method' in message)) return
  const text = error instanceof Error ? error.message : 'The gateway does not answer.'
  program.send({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: text } }).catch(report)
}
