import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClientIp, createIsAmong, toTrustedProxies } from './client-ip.ts'

const clientIp = (trusted: string[], peer: string | undefined, forwardedFor?: string | string[]) =>
  createClientIp(toTrustedProxies(trusted))(peer, forwardedFor)

test('without a trusted proxy the connection’s address counts, whatever a header says', () => {
  assert.equal(clientIp([], '192.0.2.1'), '192.0.2.1')
  assert.equal(clientIp([], '192.0.2.1', '198.51.100.7'), '192.0.2.1')
  assert.equal(clientIp([], '127.0.0.1', '198.51.100.7'), '127.0.0.1')
  assert.equal(clientIp(['10.0.0.0/8'], '192.0.2.1', '198.51.100.7'), '192.0.2.1')
})

test('a trusted proxy names its client', () => {
  assert.equal(clientIp(['10.0.0.0/8'], '10.1.2.3', '198.51.100.7'), '198.51.100.7')
  assert.equal(clientIp(['10.1.2.3'], '10.1.2.3', '198.51.100.7'), '198.51.100.7')
  assert.equal(clientIp(['loopback'], '127.0.0.9', '198.51.100.7'), '198.51.100.7')
  assert.equal(clientIp(['loopback'], '::1', '198.51.100.7'), '198.51.100.7')
  assert.equal(clientIp(['2001:db8::/32'], '2001:db8:9::1', '198.51.100.7'), '198.51.100.7')
  assert.equal(clientIp(['loopback'], '127.0.0.1'), '127.0.0.1', 'and for itself without a header')
})

test('trusted proxies in a row are skipped from the right', () => {
  assert.equal(clientIp(['10.0.0.0/8', 'loopback'], '127.0.0.1', '198.51.100.7, 10.0.0.1,10.0.0.2'), '198.51.100.7')
  assert.equal(clientIp(['10.0.0.0/8'], '10.0.0.3', ['198.51.100.7', '10.0.0.1, 10.0.0.2']), '198.51.100.7')
  assert.equal(clientIp(['10.0.0.0/8'], '10.0.0.3', '10.0.0.1, 10.0.0.2'), '10.0.0.1', 'the client is inside')
})

// The first untrusted address from the right is that of the client, who may have written everything left of it.
test('a client cannot choose its address by sending the header itself', () => {
  const trusted = ['10.0.0.0/8']
  assert.equal(clientIp(trusted, '10.0.0.1', '203.0.113.9, 198.51.100.7'), '198.51.100.7')
  assert.equal(clientIp(trusted, '10.0.0.1', '10.0.0.5, 198.51.100.7'), '198.51.100.7')
  assert.equal(clientIp(trusted, '10.0.0.1', '127.0.0.1, 198.51.100.7'), '198.51.100.7')
  assert.equal(clientIp(trusted, '10.0.0.1', 'garbage, 198.51.100.7'), '198.51.100.7')
  const long = `203.0.113.9${', 10.0.0.5'.repeat(2000)}`
  assert.equal(clientIp(trusted, '10.0.0.1', long), '10.0.0.5')
})

test('an entry that is not an address ends the search at the last trusted one', () => {
  const wrong = [
    '',
    ',',
    'unknown',
    '_hidden',
    '198.51.100',
    '198.51.100.256',
    '01.2.3.4',
    '1.2.3.4/8',
    '::g',
    '[::1',
    '<x>',
  ]
  for (const entry of wrong) {
    assert.equal(clientIp(['loopback'], '127.0.0.1', `203.0.113.9, ${entry}`), '127.0.0.1', entry)
  }
  assert.equal(clientIp(['loopback'], '127.0.0.1', '203.0.113.9, , 127.0.0.2'), '127.0.0.2')
})

test('proxies that write ports, brackets and zones are understood', () => {
  assert.equal(clientIp(['loopback'], '127.0.0.1', '198.51.100.7:4711'), '198.51.100.7')
  assert.equal(clientIp(['loopback'], '127.0.0.1', '[2001:db8:1:2::5]:4711'), '2001:db8:1:2::/64')
  assert.equal(clientIp(['loopback'], '127.0.0.1', '[2001:db8:1:2::5]'), '2001:db8:1:2::/64')
  assert.equal(clientIp([], 'fe80::1%eth0'), 'fe80:0:0:0::/64')
})

test('version 6 counts by /64, however it is written', () => {
  const same = [
    '2001:db8:1:2::1',
    '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff',
    '2001:db8:1:2::',
    '2001:db8:1:2:0:0:1.2.3.4',
  ]
  for (const peer of same) assert.equal(clientIp([], peer), '2001:db8:1:2::/64')
  assert.equal(clientIp([], '2001:db8:1:3::1'), '2001:db8:1:3::/64')
  assert.equal(clientIp([], '2001:db8::1'), '2001:db8:0:0::/64')
  assert.equal(clientIp([], '::1'), '0:0:0:0::/64')
})

// A socket that listens on both versions reports every IPv4 client this way. They must not count as one network.
test('version 4 inside version 6 is version 4', () => {
  for (const peer of ['::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:192.0.2.1']) {
    assert.equal(clientIp([], peer), '192.0.2.1')
  }
  assert.equal(clientIp(['10.0.0.0/8'], '::ffff:10.0.0.1', '::ffff:198.51.100.7'), '198.51.100.7')
  assert.equal(clientIp(['::ffff:10.0.0.0/104'], '10.0.0.1', '198.51.100.7'), '198.51.100.7')
  assert.equal(clientIp(['loopback'], '::ffff:127.0.0.1', '198.51.100.7'), '198.51.100.7')
  assert.equal(clientIp(['10.0.0.0/8'], '10.0.0.1', '203.0.113.9, ::ffff:198.51.100.7'), '198.51.100.7')
})

test('a connection that is gone has no address, and no header gives it one', () => {
  assert.equal(clientIp(['0.0.0.0/0'], undefined, '198.51.100.7'), 'unknown')
})

test('a proxy that is no address or network is refused when it is configured', () => {
  for (const entry of [
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    '::1/129',
    '10.0.0.0/8/8',
    '::1%lo',
    '::ffff:10.0.0.0/90',
  ])
    assert.throws(() => toTrustedProxies([entry]), entry)
})

test('a client is among those who are named by address, by network or as this machine', () => {
  const isAmong = createIsAmong(['loopback', '10.0.0.0/8', '2001:db8:1::/48'])
  const clientIp = createClientIp(toTrustedProxies([]))
  const asked = ['127.0.0.1', '::1', '::ffff:10.1.2.3', '2001:db8:1:2::3', '11.0.0.1', '2001:db8:2::1', 'nonsense']
  assert.deepEqual(
    asked.map((peer) => isAmong(clientIp(peer, undefined))),
    [true, true, true, true, false, false, false],
  )
})
