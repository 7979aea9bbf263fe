import assert from 'node:assert/strict'
import { type Gateway, type Reply, ask } from './gateway.ts'

/** Sends a form as a page of the same site does, in a browser without scripts. Given headers replace the defaults. */
export const sendForm = (
  url: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = { origin: new URL(url).origin },
): Promise<Reply> =>
  ask(url, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  })

/** A form with files, as browsers send it. */
export async function sendUpload(
  url: string,
  fields: Record<string, string>,
  files: Record<string, Uint8Array>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  for (const [name, bytes] of Object.entries(files)) form.set(name, new Blob([Buffer.from(bytes)]), '"><b>.png')
  const { headers: made, body } = new Response(form) as Response & { body: ReadableStream }
  const text = Buffer.from(await new Response(body).arrayBuffer())
  return ask(url, {
    headers: { origin: new URL(url).origin, 'content-type': made.get('content-type')!, ...headers },
    body: text,
  })
}

/** The id of the checkout to which a form has redirected. */
export function idIn({ status, headers, text }: Reply): string {
  assert.equal(status, 303, text.slice(0, 800))
  return /^\/pay\/([0-9a-f]{16})/.exec(headers.location!)![1]!
}

/** The session cookie after signing in with a key. */
export const enter = async ({ url }: Pick<Gateway, 'url'>, key: string): Promise<string> =>
  (await sendForm(`${url}/dashboard/sign-in/key`, { key })).headers['set-cookie']![0]!.split(';')[0]!

/** The text of a page without tags. */
export const bare = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
