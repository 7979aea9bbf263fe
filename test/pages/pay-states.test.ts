import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Signer } from '../support/blocks.ts'
import { type Gateway, openGateway } from '../support/gateway.ts'
import { openImage } from '../support/image.ts'
import { until } from '../support/until.ts'
import {
  THEMES,
  DESK,
  PHONE,
  assertGood,
  inspect,
  openBrowser,
  openCheckout,
  openTab,
  play,
  untilState,
  weigh,
} from './browser.ts'
import { openFolder } from '../support/folder.ts'

/* The page in every state, at both sizes and in both themes: accessible, small, and as screenshots for people. */

const WEIGHT_MAX = 60 * 1024
const ZBAR = '/usr/bin/zbarimg'
const { address } = new Signer(91)
const details = {
  address,
  amount: '1',
  title: 'Coffee beans, 1 kg',
  description: 'Roasted this morning.\nSent tomorrow.',
  success_url: 'https://shop.example/thanks',
  cancel_url: 'https://shop.example/cart',
}

test('the payment page in every state', { timeout: 600_000 }, async (t) => {
  const gateway = await openGateway(t)
  const browser = await openBrowser()
  const image = await openImage(t)
  const { page, misconduct } = await openTab(t, browser, gateway, DESK)

  await t.test('the page is accessible to everybody', { timeout: 600_000 }, async (t) => {
    const problems: string[] = []
    const show = async (name: string, state: string, id: string, query = '') => {
      await page.goto(`${gateway.url}/pay/${id}${query}`)
      await untilState(page, state)
      problems.push(...(await inspect(page, name)))
    }
    const fresh = new Signer(92).address
    const made = (fields: object = {}) => openCheckout(gateway, { ...details, ...fields })

    const paid = await made({ image: image.url })
    await show('waiting', 'waiting', paid.id!)
    await play(gateway, '/hold')
    await play(gateway, `/checkouts/${paid.id}/pay`)
    await show('seen', 'seen', paid.id!)
    await play(gateway, '/confirm')
    // An open page would redirect back to the shop before the screenshots are taken.
    await until(async () => (await statusOf(gateway, paid.id!)) === 'complete')
    await show('complete', 'complete', paid.id!)
    await page.goto(`${gateway.url}/pay/${paid.id}/receipt`)
    problems.push(...(await inspect(page, 'receipt')))

    const partial = await made({ address: fresh, mode: 'unique_address' })
    await play(gateway, `/checkouts/${partial.id}/pay`, { way: 'partly' })
    await show('partial', 'partial', partial.id!)

    const late = await made()
    await play(gateway, `/checkouts/${late.id}/pay`, { way: 'late' })
    await show('late', 'late', late.id!)
    const expired = await made()
    await play(gateway, `/checkouts/${expired.id}/expire`)
    await show('expired', 'expired', expired.id!)
    const cancelled = await made()
    await play(gateway, `/checkouts/${cancelled.id}/cancel`)
    await show('cancelled', 'cancelled', cancelled.id!)

    const gift = await openCheckout(gateway, { address, title: 'A gift' })
    await show('choose', 'choose', gift.id!, '?amount=wrong')
    const plans = [
      { title: 'Monthly', value: '5' },
      { title: 'Yearly', value: '50', discount: 17 },
      { title: 'For ever', value: '400' },
    ]
    const plan = await openCheckout(gateway, { address, title: 'Newsletter', currency: 'USD', plans })
    await show('plans', 'waiting', plan.id!, '?plan=1')
    await show('framed', 'waiting', plan.id!, `?embed=${encodeURIComponent('https://shop.example')}`)
    await page.goto(`${gateway.url}/pay/0123456789abcdef`)
    problems.push(...(await inspect(page, 'unknown')))

    t.diagnostic(`accessibility: ${problems.length} findings in 12 views, ${THEMES.join(' and ')}`)
    assert.deepEqual(problems, [])
    assertGood(misconduct)
  })

  await t.test('the picture comes through the gateway, and pixels only', async (t) => {
    const { id } = await openCheckout(gateway, { ...details, image: image.url })
    const { page, misconduct } = await openTab(t, browser, gateway, PHONE)
    await page.goto(`${gateway.url}/pay/${id}`, { waitUntil: 'load' })
    assert.ok(await page.evaluate<boolean>(`document.querySelector('.picture').naturalWidth > 0`))
    assertGood(misconduct)
  })

  await t.test('the whole page weighs less than 60 KB and is soon of use', async (t) => {
    const { id } = await openCheckout(gateway, details)
    const { page } = await openTab(t, browser, gateway, PHONE)
    const bytes = await weigh(page, () => page.goto(`${gateway.url}/pay/${id}`, { waitUntil: 'load' }))
    const ready = await page.evaluate<number>(`performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`)
    t.diagnostic(`page weight: ${(bytes / 1024).toFixed(1)} KB; time to interactive: ${ready.toFixed(0)} ms`)
    assert.ok(bytes < WEIGHT_MAX, `${bytes} bytes`)
  })

  const scans = existsSync(ZBAR) ? {} : { skip: 'zbarimg is not installed' }
  await t.test('the code can be scanned in both themes, and contains the link', scans, async (t) => {
    const { id, link } = await openCheckout(gateway, details)
    const folder = openFolder(t)
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await openTab(t, browser, gateway, { ...PHONE, deviceScaleFactor: 2, colorScheme })
      await page.goto(`${gateway.url}/pay/${id}`)
      const path = join(folder, `${colorScheme}.png`)
      await page.locator('.qr').screenshot({ path })
      const { stdout } = await promisify(execFile)(ZBAR, ['--raw', '--quiet', path])
      assert.equal(stdout.trim(), link)
    }
  })
})

/** Read from the store, because requests to the gateway would count against the page's limit. */
async function statusOf({ app }: Gateway, id: string): Promise<string> {
  const row = await app.store.db.selectFrom('checkouts').select('status').where('id', '=', id).executeTakeFirst()
  return row!.status
}
