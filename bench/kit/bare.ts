/*
 * The yardsticks that are servers, each the least a program does: `answer` takes a request and answers the bytes it always
 * answers; `proxy` hands each request on with undici and passes the answer back. `node bench/kit/bare.ts answer|proxy PORT [UPSTREAM]`.
 */
import { type IncomingMessage, createServer } from 'node:http'
import { Pool } from 'undici'

const [kind, port, upstream = ''] = process.argv.slice(2)
const ANSWER = Buffer.from(
  '{"balance":"325586539664609129644855132177","pending":"2309372032769300000000000000000000","receivable":"2309372032769300000000000000000000"}',
)
const head = (length: number) => ({ 'content-type': 'application/json', 'content-length': length })
const pool = kind === 'proxy' ? new Pool(upstream, { connections: 32 }) : undefined

function collect(request: IncomingMessage, then: (body: Buffer) => void): void {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => then(Buffer.concat(parts)))
}

createServer((request, response) => {
  collect(request, (body) => {
    if (!pool) {
      response.writeHead(200, head(ANSWER.length)).end(ANSWER)
      return
    }
    const headers = { 'content-type': 'application/json' }
    void pool.request({ method: 'POST', path: '/', body, headers }).then(async (answer) => {
      const bytes = Buffer.from(await answer.body.arrayBuffer())
      response.writeHead(answer.statusCode, head(bytes.length)).end(bytes)
    })
  })
}).listen(Number(port), '127.0.0.1')
