import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Signer } from '../support/blocks.ts'
import { openGateway } from '../support/gateway.ts'
import { DESK, PHONE, findViolations, openBrowser, openCheckout, openTab, pay, takeShot } from './browser.ts'
import { serve } from '../support/serve.ts'

/* The button on a shop's page, whose origin is not the gateway's and whose policy allows only the gateway. */

const { address } = new Signer(101)

async function openShop(t: TestContext, html: string, policy = ''): Promise<string> {
  return serve(t, (_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (policy !== '') response.setHeader('content-security-policy', policy)
    response.end(
      `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>${html}`,
    )
  })
}

const LISTEN = `<script nonce="n">
  window.heard = []
  window.note = (...what) => {
    heard.push(what)
    document.documentElement.dataset.heard = heard.map(([, type]) => type).join(' ')
  }
  document.addEventListener('nano-checkout', ({ detail, target }) =>
    note(target.id, detail.type, detail.status ?? detail.success))
</script>`

const heard = (page: Page) => page.evaluate<unknown[][]>('window.heard')
// Not by a function, because the shop's policy forbids `eval`.
const untilReceived = (page: Page, type: string) => page.waitForSelector(`html[data-heard~="${type}"]`)

test('the button for shops', { timeout: 600_000 }, async (t) => {
  const gateway = await openGateway(t)
  const browser = await openBrowser()
  const policy = `default-src 'none'; script-src ${gateway.url} 'nonce-n'; frame-src ${gateway.url}`
  const buttonPage = (id: string) =>
    `<main><h1>Shop</h1><button id="buy" data-nano-checkout="${id}" data-nano-style="outline">Pay with nano</button></main>
     ${LISTEN}<script src="${gateway.url}/button.js"></script>`

  await t.test('opens the checkout in a dialog, notifies the shop, and returns the focus', async (t) => {
    const { id, amount_raw: raw } = await openCheckout(gateway, { address, amount: '1', title: 'A lamp' })
    const shop = await openShop(t, buttonPage(id!), policy)
    const { page, misconduct } = await openTab(t, browser, gateway, DESK)
    await page.goto(shop)
    assert.equal(
      await page.evaluate("getComputedStyle(document.querySelector('#buy')).color"),
      'rgb(26, 95, 199)',
      'the style it asks for, under a policy that allows no inline styles',
    )
    await page.locator('#buy').focus()
    await page.keyboard.press('Enter')
    const frame = page.frameLocator('iframe[title="Payment"]')
    await frame.locator('#pay[data-state="waiting"]').waitFor()
    await untilReceived(page, 'status')
    await takeShot(page, 'button-1280-light')
    assert.deepEqual(await findViolations(page), [])
    assert.equal(
      await frame.locator('.developer').count(),
      0,
      'no buttons that act where another page could lie on top',
    )
    await pay(gateway, address, raw!)
    await frame.locator('#pay[data-state="complete"]').waitFor()
    await untilReceived(page, 'complete')
    await page.keyboard.press('Escape')
    await untilReceived(page, 'done')
    assert.equal(await page.locator('dialog').count(), 0)
    assert.equal(await page.evaluate('document.activeElement.id'), 'buy')
    assert.deepEqual(await heard(page), [
      ['buy', 'status', 'pending'],
      ['buy', 'status', 'complete'],
      ['buy', 'complete', 'complete'],
      ['buy', 'close', true],
      ['buy', 'done', undefined],
    ])
    assert.deepEqual([misconduct.policy, misconduct.errors], [[], []])
  })

  await t.test('fills a phone, has the language of the shop, and can be called by a program', async (t) => {
    const { id } = await openCheckout(gateway, { address, amount: '1' })
    const program = `${LISTEN}<script src="${gateway.url}/button.js"></script><script nonce="n">
      NanoCheckout.open(() => Promise.resolve({ id: '${id}' }), { lang: 'de', onStatus: ({ status }) => note('', 'status', status),
        onClose: ({ success }) => note('', 'close', success) })
      NanoCheckout.open('nonsense').catch(({ name }) => note('', 'refused', name))</script>`
    const shop = await openShop(t, program, policy)
    const { page } = await openTab(t, browser, gateway, PHONE)
    await page.goto(shop)
    const frame = page.frameLocator('iframe[title="Zahlung"]')
    await frame.getByText('Wir warten auf Ihre Zahlung').waitFor()
    const box = (await page.locator('dialog').boundingBox())!
    assert.deepEqual([box.width, box.height], [PHONE.viewport.width, PHONE.viewport.height])
    await takeShot(page, 'button-390-light')
    await page.getByRole('button', { name: 'Schließen' }).click()
    await untilReceived(page, 'close')
    const all = await heard(page)
    assert.ok(all.some(([, type, name]) => type === 'refused' && name === 'TypeError'))
    assert.deepEqual(all.at(-1), ['', 'close', false])
  })

  await t.test('accepts messages only from its own frame', async (t) => {
    const { id } = await openCheckout(gateway, { address, amount: '1' })
    const shop = await openShop(t, buttonPage(id!), policy)
    const { page } = await openTab(t, browser, gateway, DESK)
    await page.goto(shop)
    await page.locator('#buy').click()
    await untilReceived(page, 'status')
    const lie = { source: 'nano-gateway', id, type: 'status', status: 'complete', success: true }
    await page.evaluate(`postMessage(${JSON.stringify(lie)}, '*')`)
    // The frame may only report its own checkout.
    const inner = page.frames().find((frame) => frame.url().includes(`/pay/${id}`))!
    const other = { ...lie, id: '0123456789abcdef' }
    await inner.evaluate(`parent.postMessage(${JSON.stringify(other)}, '*')`)
    await inner.evaluate(`parent.postMessage({ source: 'nano-gateway', id: '${id}', type: 'close' }, '*')`)
    await untilReceived(page, 'close')
    assert.deepEqual(await heard(page), [
      ['buy', 'status', 'pending'],
      ['buy', 'close', false],
    ])
  })

  await t.test('reports an invalid id, and a payment page that does not answer', async (t) => {
    const shop = await openShop(t, buttonPage('nonsense'), policy)
    const { page } = await openTab(t, browser, gateway, DESK)
    await page.goto(shop)
    await page.locator('#buy').click()
    await untilReceived(page, 'error')
    await page.clock.install()
    await page.goto(await openShop(t, buttonPage('0123456789abcdef'), policy))
    await page.locator('#buy').click()
    await page.locator('dialog').waitFor()
    await page.clock.runFor(21_000)
    await untilReceived(page, 'error')
  })

  await t.test('only pages that are meant for it can be framed', async (t) => {
    const { id } = await openCheckout(gateway, { address, amount: '1' })
    const shop = await openShop(t, '<h1>Trap</h1>')
    const { page } = await openTab(t, browser, gateway, DESK)
    await page.goto(shop)
    const isShown = async (url: string) => {
      await page.evaluate(`new Promise((done) => {
        document.querySelector('iframe')?.remove()
        const frame = document.createElement('iframe')
        frame.addEventListener('load', done)
        frame.src = ${JSON.stringify(url)}
        document.body.append(frame)
      })`)
      const frame = await (await page.waitForSelector('iframe')).contentFrame()
      return (await frame!.locator('#pay').count()) === 1
    }
    const at = (query: string) => `${gateway.url}/pay/${id}${query}`
    assert.equal(await isShown(at(`?embed=${encodeURIComponent(shop)}`)), true)
    assert.equal(await isShown(at('')), false)
    assert.equal(await isShown(at(`?embed=${encodeURIComponent('https://shop.example')}`)), false)
    assert.equal(await isShown(at(`?embed=${encodeURIComponent(`${shop} https://*`)}`)), false)
    assert.equal(await isShown(`${gateway.url}/pay/${id}/receipt`), false)
  })
})
