import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { OutboundFailure } from '../../kernel/outbound-failure.ts'
import { isGlobalAddress } from './global-address.ts'
import { openOutbound } from './outbound.ts'

/* No address given by a user leads into a private network, however it is written and whatever its name resolves to. */

const outbound = openOutbound({ clock: new TestClock(), allowPrivate: false })

const toHosts = (names: string) => names.split(/\s+/).map((name) => `https://${name}/`)

const REFUSED: Record<string, readonly string[]> = {
  invalid_url: ['', 'shop', '//shop.example/hook', 'https://', 'https://a b.example', 'https://[fe80::1%25lo]/'],
  scheme_refused: [
    'file:///etc/passwd',
    ...['http', 'ftp', 'javascript'].map((scheme) => `${scheme}://shop.example/%0a`),
  ],
  credentials_refused: ['https://user@shop.example/', 'https://user:password@shop.example/', 'https://:x@shop.example'],
  port_refused: toHosts('shop.example:80 shop.example:6379 shop.example:8080'),
  host_refused: toHosts(
    `localhost localhost. LOCALHOST shop.localhost intranet intranet. printer.local metadata.google.internal
    metadata.google.internal. router.home.arpa abcdefgh.onion`,
  ),
  // A public IP address is refused as well: a user should give the name of the server.
  address_refused: toHosts(
    `127.0.0.1 127.0.0.1. 127.1 0x7f.1 0x7f000001 2130706433 0177.0.0.1 ①②⑦.⓪.⓪.① １２７.0.0.1 0 169.254.169.254 8.8.8.8
    [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [64:ff9b::7f00:1] [2606:4700:4700::1111]`,
  ),
  url_too_long: [`https://shop.example/${'x'.repeat(2_048)}`],
}

for (const [code, urls] of Object.entries(REFUSED)) {
  test(`${code}: refused when it is given, and again when it is tried`, async () => {
    for (const url of urls) {
      assert.equal(outbound.check(url), code, url)
      await assert.rejects(outbound.post(url, { headers: {}, body: '' }), { code }, url)
    }
  })
}

test('an ordinary https address may be tried, also on 8443, with a query and in other scripts', () => {
  const hosts = toHosts('shop.example:443 shop.example:8443 shop.example. bücher.example 1.example.com')
  for (const url of ['https://shop.example/hook?token=a%20b', ...hosts]) {
    assert.equal(outbound.check(url), undefined, url)
  }
})

const PRIVATE =
  `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255 169.254.169.254
  172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1
  224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
  :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a00:1 64:ff9b::a00:1 64:ff9b:1::1 100::1 2001::1 2001:db8::1
  2002:a00:1:: 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1`.split(/\s+/)
const PUBLIC =
  `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 172.15.255.255
  172.32.0.0 192.0.1.0 192.167.255.255 198.17.255.255 198.20.0.0 223.255.255.255
  2001:4860:4860::8888 2606:4700:4700::1111 2a00:1450:4001::1 2003::1`.split(/\s+/)

test('private, local, reserved and translated networks are not global; their neighbours are', () => {
  for (const address of PRIVATE) assert.equal(isGlobalAddress(address), false, address)
  for (const address of PUBLIC) assert.equal(isGlobalAddress(address), true, address)
  for (const nonsense of ['', 'shop.example', '1.2.3', '1.2.3.4.5', '999.1.1.1', '::g']) {
    assert.equal(isGlobalAddress(nonsense), false, nonsense)
  }
})

const postTo = (addresses: string[] | Error, ownAddresses: string[] = []) =>
  openOutbound({
    clock: new TestClock(),
    allowPrivate: false,
    resolve: () => (addresses instanceof Error ? Promise.reject(addresses) : Promise.resolve(addresses)),
    ownAddresses: () => new Set(ownAddresses),
  }).post('https://shop.example/hook', { headers: {}, body: '{}' })

test('a name that leads to any address that is not public, or is of this machine, is refused, alone or among public ones', async () => {
  for (const address of PRIVATE) {
    await assert.rejects(postTo([address]), { code: 'address_refused' }, address)
    await assert.rejects(postTo(['1.1.1.1', address]), { code: 'address_refused' }, `1.1.1.1 and ${address}`)
    await assert.rejects(postTo([address, '2606:4700:4700::1111']), { code: 'address_refused' }, address)
  }
  await assert.rejects(postTo(['1.1.1.1'], ['1.1.1.1']), { code: 'address_refused' })
})

test('a name without addresses and a name server that fails are reported by a code alone', async () => {
  const failures = [postTo([]), postTo(new Error('queryA ESERVFAIL shop.example at 10.0.0.2'))]
  for (const failure of failures) {
    await assert.rejects(failure, (error) => {
      assert.ok(error instanceof OutboundFailure)
      assert.deepEqual([error.code, error.message, error.cause], ['dns_failed', 'dns_failed', undefined])
      return true
    })
  }
})

test('a name server that never answers is given up after ten seconds', async () => {
  const clock = new TestClock()
  const resolve = () => new Promise<string[]>(() => undefined)
  const slow = openOutbound({ clock, allowPrivate: false, resolve })
  const posted = slow.post('https://shop.example/', { headers: {}, body: '' })
  clock.advance(10_000)
  await assert.rejects(posted, { code: 'timeout' })
})
