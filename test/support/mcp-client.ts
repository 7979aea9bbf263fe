import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Lifetime } from './gateway.ts'

/** The official MCP client, connected to a gateway. */
export async function openMcpClient(t: Lifetime, url: string, key?: string, sets?: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const transport = new StreamableHTTPClientTransport(
    new URL(`/mcp${sets === undefined ? '' : `?tools=${sets}`}`, url),
    { requestInit: { headers } },
  )
  await client.connect(transport)
  t.after(() => client.close())
  return client
}

/** Calls a tool and returns its answer. */
export const useTool = async (client: Client, name: string, fields: object = {}, meta?: object) =>
  (await client.callTool({
    name,
    arguments: fields as Record<string, unknown>,
    ...(meta && { _meta: meta as Record<string, unknown> }),
  })) as CallToolResult
