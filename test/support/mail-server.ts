import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { SMTPServer } from 'smtp-server'

/** A received mail. */
export interface Received {
  from: string
  to: string[]
  /** The raw mail with its headers. */
  data: string
  subject: string
  messageId: string
  text: string
  html: string
}

export interface MailServer {
  url: string
  received: Received[]
  /** Refuses connections while true. */
  down: boolean
  /** Accepts a mail and drops the connection before the acknowledgement, this many times. */
  silences: number
  /** Addresses that it rejects. */
  unknown: Set<string>
  /** Addresses that it defers; its replies name them, as real servers do. */
  deferred: Set<string>
  /** Mails to an address, oldest first. */
  to(address: string): Received[]
}

/** A real mail server on loopback. If clients sign in, the password must match. */
export async function openMailServer(t: TestContext, known = 'p@ss'): Promise<MailServer> {
  const state: MailServer = {
    url: '',
    received: [],
    down: false,
    silences: 0,
    unknown: new Set(),
    deferred: new Set(),
    to: (address) => state.received.filter(({ to }) => to.includes(address)),
  }
  const refuse = (text: string, responseCode: number) => Object.assign(new Error(text), { responseCode })
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'user' && password === known ? done(null, { user: username }) : done(new Error('No.')),
    onConnect: (_session, done) => done(state.down ? refuse('Not now', 421) : null),
    onRcptTo({ address }, _session, done) {
      if (state.deferred.has(address)) return done(refuse(`<${address}>: Greylisted, come again`, 450))
      done(state.unknown.has(address) ? refuse('No such user here', 550) : undefined)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        const to = rcptTo.map(({ address }) => address)
        state.received.push(readMail({ from, to, data: Buffer.concat(chunks).toString('latin1') }))
        if (state.silences > 0) {
          state.silences--
          done(refuse('The line broke', 421))
        } else done()
      })
    },
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>((resolve) => server.close(resolve)))
  server.on('error', () => undefined)
  state.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  return state
}

/** Parses a mail. */
export function readMail({ from, to, data }: Pick<Received, 'from' | 'to' | 'data'>): Received {
  const [head = ''] = data.split('\r\n\r\n', 1)
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1]?.trim() ?? ''
  const [, boundary] = /boundary="?([^";]+)/i.exec(header('content-type')) ?? []
  const parts = boundary === undefined ? [data] : data.split(`--${boundary}`).map((part) => part.replace(/^\r\n/, ''))
  const part = (type: string) => {
    const found = parts.find((text) => new RegExp(`^content-type: ${type}`, 'im').test(text.split('\r\n\r\n', 1)[0]!))
    return found === undefined ? '' : decode(found)
  }
  const mail = { from, to, data, subject: header('subject'), messageId: header('message-id') }
  return { ...mail, text: part('text/plain'), html: part('text/html') }
}

function decode(part: string): string {
  const at = part.indexOf('\r\n\r\n')
  const head = part.slice(0, at)
  const body = part.slice(at + 4)
  if (/transfer-encoding: base64/i.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/transfer-encoding: quoted-printable/i.test(head)) return body.replaceAll('\r\n', '\n')
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n')
}

/** The text after the `#` of a mailed link. */
export function tokenOf(text: string): string {
  return /#(\w{40})$/m.exec(text)![1]!
}
