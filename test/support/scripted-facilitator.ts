import { type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { ask } from './gateway.ts'
import { serveWhole } from './serve.ts'

/** A facilitator's answer to one call: an object sent as JSON with 200, or a function that writes the response. Undefined hangs. */
export type Script = (request: object) => object | ((response: ServerResponse) => void) | 'hang' | 'honest'

export interface ScriptedFacilitator {
  url: string
  verify: Script
  settle: Script
  supported: Script
  /** The bodies of calls so far. */
  readonly calls: { path: string; body: Record<string, Record<string, unknown>> }[]
}

export const raw =
  (status: number, text: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(text)

/** A facilitator that answers honestly by default, by asking the one at `honestUrl`. */
export async function openFacilitator(t: TestContext, honestUrl: string): Promise<ScriptedFacilitator> {
  const honest: Script = () => 'honest'
  const facilitator: ScriptedFacilitator = { url: '', verify: honest, settle: honest, supported: honest, calls: [] }
  const answer = async (method: string, path: string, text: string, response: ServerResponse) => {
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, Record<string, unknown>>)
    facilitator.calls.push({ path, body })
    const script = facilitator[path.slice(path.lastIndexOf('/') + 1) as 'verify' | 'settle' | 'supported']
    const said = script(body)
    if (said === 'hang') return
    if (typeof said === 'function') said(response)
    else if (said === 'honest') {
      const reply = await ask(`${honestUrl}${path}`, { method, ...(method === 'POST' && { body: text }) })
      response.writeHead(reply.status).end(reply.text)
    } else response.end(JSON.stringify(said))
  }
  facilitator.url = await serveWhole(t, (text, { method, url }, response) => answer(method!, url!, text, response))
  return facilitator
}
