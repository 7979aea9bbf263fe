import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { openFolder } from '../support/folder.ts'

/** A self-signed certificate for loopback. */
export function makeCertificate(folder: string) {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const form = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...form, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}

/** A proxy in front of a public gateway that terminates TLS. This process trusts its certificate during the test. */
export async function openTlsFront(t: TestContext, url: string): Promise<string> {
  const folder = openFolder(t)
  const certificate = makeCertificate(folder)
  const { port, pathname } = new URL(url)
  const server = createServer(certificate, (socket) => {
    const behind = connect(Number(port), '127.0.0.1')
    socket.pipe(behind).pipe(socket)
    socket.on('error', () => behind.destroy())
    behind.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const trusted = getCACertificates()
  setDefaultCACertificates([...trusted, certificate.cert])
  t.after(() => setDefaultCACertificates(trusted))
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`
}
