import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboard, openReceiver, stock } from './dashboard-steps.ts'

test('forms answered in the names of the API: every form keeps what was typed and says what is wrong in its own labels', async (t) => {
  const dashboard = await openDashboard(t)
  const owner = await dashboard.join('owner@example.com')
  const stocked = await stock(dashboard, owner, await openReceiver(t))
  const cookies = [await dashboard.enter(owner.key), await dashboard.enter(dashboard.adminKey)]
  const wallet = `/wallets/${stocked.wallet}/send`
  const endpoint = `/webhooks/endpoints/${stocked.endpoint}`
  const refund = `/checkouts/${stocked.paid}/refund`
  const account = `/admin/accounts/${owner.accountId}`
  const elsewhere = { to: 'address', address: 'nano_wrong' }
  const limits = { per_minute: 'many', concurrency: '30', wallet_sends: 'off' }
  const forms: [string, string, Record<string, string>, string[]][] = [
    [
      '/wallets',
      '/wallets',
      { name: 'Savings', refund_address: 'nano_wrong', lifetime: '7' },
      ['Refund address must be a Nano address.'],
    ],
    [
      wallet,
      `${wallet}/check`,
      { to: 'nano_wrong', amount: '1.5' },
      ['This is not an address or a username such as @alice.'],
    ],
    ['/names', '/names', { name: 'not a name' }, ['Invalid username: 1 to 30 letters and digits.']],
    ['/webhooks', '/webhooks/ping', { url: 'ftp://shop' }, ['Address cannot be used: it must begin with https://.']],
    [endpoint, `${endpoint}/replay`, { from_unix: 'never', missed: 'false' }, ['Choose a day.']],
    ['/people', '/people', { email: 'nobody', role: 'cashier' }, ['Email must be an email address.']],
    [
      `/checkouts/${stocked.paid}`,
      `/checkouts/${stocked.paid}/receipt`,
      { email: 'nobody' },
      ['Send the receipt to must be an email address.'],
    ],
    [
      refund,
      refund,
      { much: 'part', amount: '0.5', ...elsewhere, from: stocked.wallet, reason: 'broken' },
      ['Nano address or @name must be a Nano address.'],
    ],
    [
      '/emails',
      '/emails',
      {
        ...{ 'emails[0]': 'a@example.com', 'emails[3]': 'nobody', amount: 'lots', refund_address: 'nano_wrong' },
        ...{ from: 'Bob', message: 'see https://x.example', email_receipt: 'nobody-else', expiration: '7 days' },
      },
      [
        'Recipient 4 must be an email address.',
        'Total amount in nano must be an amount such as 12.50.',
        'Refund address must be a Nano address.',
        'Message cannot contain links or email addresses. Put a space after each dot.',
        'Receipt to must be an email address.',
      ],
    ],
    ['/developer', '/developer/fund', { address: 'nano_wrong', amount: '2' }, ['Address must be a Nano address.']],
    [
      '/profile',
      '/profile',
      { name: 'Mugs', support_email: 'nobody', website: 'x' },
      ['Website must be an https address.', 'Support email must be an email address.'],
    ],
    ['/admin/freezes', '/admin/freezes', { target: 'what' }, ['Reason must be a text of 1 to 200 characters.']],
    [
      account,
      `${account}/standing`,
      limits,
      ['Requests per minute must be null, 0 for no limit, or a whole number from 1 to 1000000.'],
    ],
    [
      account,
      `${account}/credits`,
      { amount: 'many', credit_reason: 'May' },
      ['Credits to add must be a whole number up to 1000000000. A negative amount removes credits.'],
    ],
  ]
  for (const [from, to, fields, wanted] of forms) {
    const cookie = cookies[to.startsWith('/admin') ? 1 : 0]!
    const { status, text } = await dashboard.send(`/dashboard${from}`, `/dashboard${to}`, fields, cookie)
    assert.equal(status, 400, to)
    const errors = [...text.matchAll(/class="error"[^>]*>(.+?)</g)].map(([, error]) => error)
    assert.deepEqual(errors, wanted, to)
    const alert = /role="alert">(.*?)<\/p>/s.exec(text)?.[1]?.replaceAll(/<[^>]+>/g, '') ?? ''
    assert.doesNotMatch(alert, /_|from unix|per minute/, to)
    const lost = Object.values(fields).filter(
      (typed) => !text.includes(`value="${typed}"`) && !text.includes(`\n${typed}<`),
    )
    assert.deepEqual(lost, [], to)
  }
})
