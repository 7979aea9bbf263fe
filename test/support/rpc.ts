import { request as httpRequest } from 'node:http'

export interface RpcReply {
  status: number
  text: string
}

/** Posts a body unchanged, each on a new connection, because the node closes it after each answer. */
export function post(url: string, body: string | Uint8Array): Promise<RpcReply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() }))
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** Calls the ledger and parses its answer. Most fields are strings; callers may name another type. */
export async function call<T = Record<string, string>>(url: string, action: string, parameters: object = {}) {
  const { text } = await post(url, JSON.stringify({ action, ...parameters }))
  return JSON.parse(text) as T
}
