import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { Signer, give } from '../support/blocks.ts'
import { openGateway } from '../support/gateway.ts'
import { recordedProof } from '../support/recorded-votes.ts'
import { until } from '../support/until.ts'
import { VIEWS, assertGood, openBrowser, openTab, takeShot } from './browser.ts'

/* The page of a payment proof, which the reader's own browser verifies. */

const { address } = new Signer(62)

test('the browser of a reader verifies a proof, that of this ledger and that of a recorded network, and refuses each with a changed bit', async (t) => {
  const gateway = await openGateway(t, { PROOF: 'votes', DEVNET_REPRESENTATIVES: '5' })
  const fields = { address, amount: '2.5', title: 'Blue mug <b>' }
  const made = (await gateway.call('checkout', fields)).json<{ id: string; address: string; amount_raw: string }>()
  await give(gateway.app.devnet!.node, fromAddress(made.address)!, toRaw(BigInt(made.amount_raw)))
  const path = `/checkout/${made.id}/proof`
  await until(async () => (await gateway.rest('GET', path)).status === 200)
  for (const { name, options } of VIEWS) {
    const { page, misconduct } = await openTab(t, await openBrowser(), gateway, options)
    await page.goto(`${gateway.url}${path}`)
    const verdict = page.locator('.verdict.good, .verdict.bad')
    const untilSaid = (text: RegExp) => page.locator('.verdict').filter({ hasText: text }).waitFor()
    await verdict.waitFor()
    const sentence = 'This payment is proved by 4 representatives with 80 % of the weight.'
    assert.equal(await verdict.innerText(), `${sentence} Your browser has checked every signature.`)
    await takeShot(page, `proof-${name}`)
    for (const summary of await page.locator('summary').all()) await summary.click()
    assert.equal(await page.locator('tbody tr').count(), 4)
    await takeShot(page, `proof-open-${name}`)

    const box = page.locator('#proof')
    const text = await box.inputValue()
    // One bit of a vote's signature.
    const at = text.indexOf('"signature"', text.indexOf('"votes"')) + 20
    const flipped = String.fromCharCode(text.charCodeAt(at) ^ 1)
    await box.fill(`${text.slice(0, at)}${flipped}${text.slice(at + 1)}`)
    await untilSaid(/^Not proved: /)
    await takeShot(page, `proof-changed-${name}`)
    await box.fill(text)
    await untilSaid(/^This payment is proved/)

    const recorded = recordedProof()
    await box.fill(JSON.stringify(recorded))
    await untilSaid(
      /^This payment is proved by 1 representative with 99\.99 % of the weight\..* It is another payment: block 6028A25C/,
    )
    await box.fill(JSON.stringify({ ...recorded, taken_unix: recorded.taken_unix + 1 }))
    await untilSaid(/^Not proved: checksum/)
    await box.fill('{')
    await untilSaid(/^Not proved: the text is not JSON\.$/)
    assertGood(misconduct)
  }
})
