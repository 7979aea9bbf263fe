import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer, nano } from '../support/blocks.ts'
import { until } from '../support/until.ts'
import { pay, payLink } from './browser.ts'
import { openDashboard, tokensOf } from './dashboard-steps.ts'
import { type Walk, look, press, reach, type, walk } from './story.ts'

/* Sends by hand: from a wallet, and back to a payer. With a browser and only a keyboard, from an empty account. */

const supplier = new Signer(81).address

/** Makes a wallet in the dashboard; returns its address. */
async function makeWallet({ dashboard, merchant }: Walk): Promise<string> {
  await merchant.goto(`${dashboard.url}/dashboard/wallets`)
  await type(merchant, '#f-name', 'Till')
  await press(merchant, 'main form button')
  return /wallets\/(nano_\w+)\?done=made$/.exec(merchant.url())![1]!
}

async function heldBy({ dashboard }: Walk, account: string): Promise<bigint> {
  const reply = await dashboard.gateway.call('account_balance', { account })
  const { balance, receivable } = reply.json<{ balance: string; receivable: string }>()
  return BigInt(balance) + BigInt(receivable)
}

test(
  'a wallet receives and sends by hand: what waits appears by itself, mistakes stand beside their field, and the address is confirmed in full',
  { timeout: 600_000 },
  async (t) => {
    await walk(t, async (walk) => {
      const { dashboard, merchant, name } = walk
      const wallet = await makeWallet(walk)
      await pay(dashboard.gateway, wallet, nano(5))
      // Without a reload.
      await merchant.locator('dd', { hasText: /^5 nano$/ }).waitFor()
      await press(merchant, 'form[action$="/receive"] button')
      assert.match(await merchant.innerText('main'), /Pending payments received/)
      await look(merchant, `story-wallet-${name}`)
      await press(merchant, 'a[href$="/send"]')
      await type(merchant, '#f-to', supplier)
      await type(merchant, '#f-amount', '7')
      await press(merchant, 'main form button')
      assert.match(await merchant.innerText('#amount-error'), /does not have enough/)
      assert.equal(await merchant.inputValue('#f-to'), supplier, 'nothing typed is lost')
      await look(merchant, `story-send-refused-${name}`)
      await type(merchant, '#f-amount', '2,0')
      await press(merchant, 'main form button')
      assert.match(await merchant.innerText('main'), new RegExp(`2 nano[^]*${supplier}[^]*3 nano`))
      await look(merchant, `story-send-confirm-${name}`)
      await press(merchant, 'form[aria-label="Send now"] button')
      assert.match(merchant.url(), /\?done=sent$/)
      await merchant.locator('td .badge', { hasText: 'confirmed' }).nth(1).waitFor()
      assert.equal(await heldBy(walk, supplier), nano(2))
      await look(merchant, `story-sent-${name}`)
      await merchant.goto(`${dashboard.url}/dashboard/activity`)
      assert.match(await merchant.innerText('main'), /asked to send 2 nano from the wallet/)
    })
  },
)

test('a confirmed send happens once, however often it is sent, and never before its confirmation', async (t) => {
  const dashboard = await openDashboard(t)
  const { key } = await dashboard.join('shop@example.com')
  const cookie = await dashboard.enter(key)
  const wallet = (await dashboard.gateway.call('cloud_wallet', {}, { key })).json().address!
  await pay(dashboard.gateway, wallet, nano(5))
  await dashboard.gateway.call('cloud_wallet', { account: wallet, receive: true }, { key })
  const place = `/dashboard/wallets/${wallet}/send`
  const wish = { to: supplier, amount: '1' }
  const asked = await dashboard.send(place, `${place}/check`, wish, cookie)
  assert.equal(asked.status, 200, asked.text)
  const confirmed = { ...wish, ...tokensOf(asked.text.slice(asked.text.indexOf('Send now'))) }
  const sends = await Promise.all([1, 2, 3].map(() => dashboard.post(place, confirmed, { cookie })))
  for (const { status, headers } of sends)
    assert.deepEqual([status, headers.location], [303, `/dashboard/wallets/${wallet}?done=sent`])
  const blocks = dashboard.ctx.db.selectFrom('wallet_blocks').select('id').where('kind', '=', 'send')
  assert.equal((await blocks.where('destination', '=', supplier).execute()).length, 1)
  for (const [fields, field] of [
    [{ to: 'nano_1wrong', amount: '1' }, 'to'],
    [{ to: '@nobody', amount: '1' }, 'to'],
    [{ to: supplier, amount: '0' }, 'amount'],
    [{ to: supplier, amount: '4.000000000000000000000000000001' }, 'amount'],
  ] as const) {
    const refused = await dashboard.send(place, `${place}/check`, fields, cookie)
    assert.ok(refused.status >= 400 && refused.status < 500, refused.text)
    assert.match(refused.text, new RegExp(`id="${field}-error"`))
  }
})

test('a refund: from an empty account to money back on the ledger, by keyboard', { timeout: 600_000 }, async (t) => {
  await walk(t, async (walk) => {
    const { dashboard, merchant, visitor, key, name } = walk
    const wallet = await makeWallet(walk)
    await merchant.goto(`${dashboard.url}/dashboard/checkouts/new`)
    await type(merchant, '#f-title', 'Blue mug')
    await type(merchant, '#f-amount', '2')
    await type(merchant, '#f-address', wallet)
    await press(merchant, 'main form button:not([class])')
    const id = /checkouts\/(\w{16})/.exec(merchant.url())![1]!
    await visitor.goto(`${dashboard.url}/pay/${id}`)
    await payLink(dashboard.gateway, visitor)
    // The page updated itself: its refund appears without a reload.
    await merchant.locator('.lead .badge', { hasText: 'Paid' }).waitFor()
    await press(merchant, '.title .actions a[href$="/refund"]')
    await reach(merchant, '#much-all')
    await merchant.keyboard.press('ArrowDown')
    await type(merchant, '#f-amount', '9')
    await press(merchant, 'main form button')
    assert.match(await merchant.innerText('#amount-error'), /\w/)
    await look(merchant, `story-refund-refused-${name}`)
    await type(merchant, '#f-amount', '0.5')
    await type(merchant, '#f-reason', 'A chip in the glaze')
    await press(merchant, 'main form button')
    assert.match(merchant.url(), /\?done=refunded$/)
    await merchant.getByText('A refund left your wallet.').waitFor()
    await look(merchant, `story-refunded-${name}`)
    type Refunds = { refunds: { status: string; amount: string; hash: string }[] }
    const { refunds } = await dashboard.rest<Refunds>('GET', `/api/checkouts/${id}/refunds`, key)
    assert.deepEqual([refunds.length, refunds[0]?.status, refunds[0]?.amount], [1, 'sent', '0.5'])
    await until(async () => {
      const block = await dashboard.gateway.call('block_info', { hash: refunds[0]!.hash })
      return block.json<{ confirmed: string }>().confirmed === 'true'
    })
  })
})
