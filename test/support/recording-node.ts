import type { TestContext } from 'node:test'
import { GENESIS_HASHES } from '../../src/kernel/nano/network.ts'
import { serveWhole } from './serve.ts'

export type NodeRequest = Record<string, unknown> & { action: string }

export interface RecordingNode {
  url: string
  /** Requests so far, without health and network checks. */
  requests: readonly NodeRequest[]
  /** Requests as received: headers and body. */
  raw: readonly string[]
  /** Resolves once a request for this action arrived. */
  arrived(action: string): Promise<void>
}

/** A node's answer: an object is sent as JSON, a string unchanged, a number as a bare status. */
export type NodeReply = object | string | number

/** Requests that the gateway makes by itself. A node that hides its version is identified by its network's first block. */
const PROBES = new Map<string, object>([
  ['{"action":"block_count"}', { count: '3', unchecked: '0', cemented: '3' }],
  ...['version', 'active_difficulty', 'telemetry'].map(
    (action) => [JSON.stringify({ action }), { error: 'Account not found' }] as const,
  ),
  ...[GENESIS_HASHES.live, GENESIS_HASHES.dev].map(
    (hash) =>
      [JSON.stringify({ action: 'block_info', hash, json_block: 'true' }), { block_account: 'genesis' }] as const,
  ),
])

/** A fake node that records the gateway's requests. Health checks are answered, so that the gateway uses it. */
export async function openRecordingNode(
  t: TestContext,
  answer: (request: NodeRequest) => NodeReply | Promise<NodeReply> = () => ({ error: 'Account not found' }),
): Promise<RecordingNode> {
  const requests: NodeRequest[] = []
  const raw: string[] = []
  let wake: () => void = () => undefined
  const replyTo = async (body: string): Promise<NodeReply> => {
    const known = PROBES.get(body)
    if (known) return known
    const request = JSON.parse(body) as NodeRequest
    requests.push(request)
    wake()
    return answer(request)
  }
  const url = await serveWhole(t, (body, request, response) => {
    raw.push(`${request.url} ${JSON.stringify(request.rawHeaders)} ${body}`)
    void replyTo(body).then((reply) => {
      if (typeof reply === 'number') response.writeHead(reply).end()
      else response.end(typeof reply === 'string' ? reply : JSON.stringify(reply))
    })
  })
  return {
    url,
    requests,
    raw,
    arrived: async (action) => {
      while (!requests.some((request) => request.action === action)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
