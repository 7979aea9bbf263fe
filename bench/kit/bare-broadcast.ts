import { WebSocket, WebSocketServer } from 'ws'

/*
 * Baseline for the websocket fan-out: passes every message of one websocket on to all its clients. Run as `node --import tsx bench/kit/bare-broadcast.ts
 * <source> <port>`.
 */
const [source, port] = process.argv.slice(2)
if (source === undefined || port === undefined) throw new Error('Which source, which port?')
const server = new WebSocketServer({ port: Number(port), host: '127.0.0.1', perMessageDeflate: false })
const socket = new WebSocket(source)
socket.on('open', () => socket.send('{"action":"subscribe","topic":"confirmation"}'))
socket.on('message', (data) => {
  const text = (data as Buffer).toString()
  for (const client of server.clients) client.send(text)
})
