import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LANGUAGES, TEXTS } from '../../src/modules/checkout/texts/index.ts'
import { Signer } from '../support/blocks.ts'
import { openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { PHONE, assertGood, openBrowser, openCheckout, openTab, pay, play, untilState } from './browser.ts'
import { serve } from '../support/serve.ts'

/* Payers with a phone, with a keyboard, without scripts, in every language; and a malicious merchant. */

const { address } = new Signer(81)

// One browser for all, because many browsers would start slowly at the same time.
test('the payment page', { timeout: 600_000 }, async (t) => {
  const gateway = await openGateway(t)
  const browser = await openBrowser()
  const visit = async (t: Parameters<typeof openTab>[0], path: string, options = {}) => {
    const tab = await openTab(t, browser, gateway, options)
    await tab.page.goto(`${gateway.url}${path}`)
    return tab
  }

  await t.test('a payer on a phone pays and sees it complete, without a reload', async (t) => {
    const { id, amount, amount_raw: raw } = await openCheckout(gateway, { address, amount: '1', title: 'A book' })
    const { page, misconduct } = await visit(t, `/pay/${id}`, PHONE)
    await page.evaluate('window.sameDocument = true')
    assert.match(await page.locator('.price').innerText(), new RegExp(amount!.replace('.', '\\.')))
    assert.match((await page.locator('.wallet').getAttribute('href'))!, new RegExp(`^nano:${address}\\?amount=${raw}$`))
    // Everything that a payer needs is visible without scrolling.
    const wallet = (await page.locator('.wallet').boundingBox())!
    assert.ok(wallet.y + wallet.height <= PHONE.viewport.height, 'the button to the wallet is on the first screen')
    await play(gateway, '/hold')
    await play(gateway, `/checkouts/${id}/pay`)
    await untilState(page, 'seen')
    assert.equal(await page.locator('.qr').count(), 0, 'nobody is asked to pay twice')
    await play(gateway, '/confirm')
    await untilState(page, 'complete')
    assert.equal(await page.evaluate('window.sameDocument'), true)
    assert.equal(await page.evaluate('document.activeElement.id'), 'state', 'readers hear the news')
    assert.equal(await page.locator('#live').innerText(), TEXTS.en.complete)
    assert.match(await page.title(), /^Paid · A book$/)
    assertGood(misconduct)
  })

  await t.test('a network that lets no events through delays the news, no more', async (t) => {
    const { id, amount_raw: raw } = await openCheckout(gateway, { address, amount: '1' })
    const { page } = await openTab(t, browser, gateway, PHONE)
    await page.route('**/events', (route) => route.abort())
    await page.goto(`${gateway.url}/pay/${id}`)
    await pay(gateway, address, raw!)
    await untilState(page, 'complete')
  })

  await t.test('time runs out before the eyes of the payer, who is not asked to pay any more', async (t) => {
    const { id } = await openCheckout(gateway, { address, amount: '1', currency: 'USD' })
    const { page, misconduct } = await visit(t, `/pay/${id}`, PHONE)
    assert.match(await page.locator('.timer').innerText(), /^Price valid for \d+:\d\d$/)
    await play(gateway, `/checkouts/${id}/expire`)
    await untilState(page, 'expired')
    assert.equal(await page.locator('.wallet').count(), 0)
    await play(gateway, `/checkouts/${id}/pay`)
    await untilState(page, 'late')
    assertGood(misconduct)
  })

  await t.test('what is still due is shown with its own code, and the rest completes it', async (t) => {
    const fresh = new Signer(82).address
    const { id, amount_raw: raw } = await openCheckout(gateway, { address: fresh, amount: '2', mode: 'unique_address' })
    const { page } = await visit(t, `/pay/${id}`, PHONE)
    await pay(gateway, fresh, BigInt(raw!) / 4n)
    await untilState(page, 'partial')
    assert.equal(await page.locator('#state').innerText(), '1.5 nano still due')
    assert.equal(await page.locator('.wallet').getAttribute('href'), `nano:${fresh}?amount=${(BigInt(raw!) * 3n) / 4n}`)
    await pay(gateway, fresh, BigInt(raw!))
    await untilState(page, 'complete')
    await page.getByText(TEXTS.en.overpaid).waitFor()
  })

  await t.test(
    'after the payment the shop is one tap away, soon comes by itself, and can be told to wait',
    async (t) => {
      const home = await serve(t, (_request, response) => response.end('<title>Shop</title>'))
      const fields = { address, amount: '1', success_url: `${home}/thanks?order={{id}}`, cancel_url: `${home}/cart` }
      const made = await openCheckout(gateway, fields)
      const { page } = await openTab(t, browser, gateway, PHONE)
      await page.clock.install()
      await page.goto(`${gateway.url}/pay/${made.id}`)
      assert.equal(await page.locator('.leave a').getAttribute('href'), `${home}/cart`)
      await pay(gateway, address, made.amount_raw!)
      await untilState(page, 'complete')
      await page.getByRole('button', { name: TEXTS.en.stay }).click()
      await page.clock.runFor(20_000)
      assert.equal(new URL(page.url()).pathname, `/pay/${made.id}`, 'who wants to stay stays')

      const second = await openCheckout(gateway, fields)
      await page.goto(`${gateway.url}/pay/${second.id}`)
      await pay(gateway, address, second.amount_raw!)
      await untilState(page, 'complete')
      await page.clock.runFor(6_000)
      // The redirect proves nothing: its URL has only the merchant's text and the checkout's id.
      await page.waitForURL(`${home}/thanks?order=${second.id}`)

      await page.goto(`${gateway.url}/pay/${second.id}`)
      await page.clock.runFor(20_000)
      assert.equal(
        new URL(page.url()).pathname,
        `/pay/${second.id}`,
        'a page that is opened again leads nowhere by itself',
      )
    },
  )

  await t.test('everything works without scripts', async (t) => {
    const plans = [
      { title: 'Small', value: '1' },
      { title: 'Large', value: '2', discount: 10 },
    ]
    const { id } = await openCheckout(gateway, { address, plans })
    const { page, misconduct } = await visit(t, `/pay/${id}`, { ...PHONE, javaScriptEnabled: false })
    const first = await page.locator('.wallet').getAttribute('href')
    await page.getByRole('link', { name: 'Large' }).click()
    await page.waitForURL(/plan=1/)
    const second = await page.locator('.wallet').getAttribute('href')
    assert.notEqual(second, first)
    await pay(gateway, address, /amount=(\d+)/.exec(second!)![1]!)
    // The page checks again by itself.
    await untilState(page, 'complete')
    await page.getByRole('link', { name: TEXTS.en.receipt }).click()
    await page.waitForURL(/receipt/)
    assert.match(await page.locator('.facts').innerText(), new RegExp(`Large[^]*${id}[^]*${address}`))
    assert.doesNotMatch(await page.locator('.facts').innerText(), /Small/)

    const gift = await openCheckout(gateway, { address, title: 'A gift' })
    await page.goto(`${gateway.url}/pay/${gift.id}`)
    await page.getByLabel(TEXTS.en.amountInNano).fill('lots')
    await page.getByRole('button', { name: TEXTS.en.next }).click()
    await page.getByText(TEXTS.en.wrongAmount).waitFor()
    await page.getByLabel(TEXTS.en.amountInNano).fill('0,5')
    await page.getByRole('button', { name: TEXTS.en.next }).click()
    await untilState(page, 'waiting')
    assert.match(await page.locator('.price').innerText(), /^0\.50/)
    await page.getByRole('button', { name: 'Pay exactly' }).click()
    await untilState(page, 'complete')
    assertGood(misconduct)
  })

  await t.test('a keyboard is enough, and shows where it is', async (t) => {
    const plans = [
      { title: 'Month', value: '1' },
      { title: 'Year', value: '10' },
    ]
    const { id } = await openCheckout(gateway, { address, plans })
    const { page, misconduct } = await visit(t, `/pay/${id}`, { permissions: ['clipboard-read', 'clipboard-write'] })
    const focused = () =>
      page.evaluate<{ text: string; ring: string }>(`(() => {
        const { outlineStyle } = getComputedStyle(document.activeElement)
        return { text: document.activeElement.innerText, ring: outlineStyle }
      })()`)
    const tabTo = async (text: RegExp) => {
      for (let steps = 0; steps < 30; steps++) {
        await page.keyboard.press('Tab')
        const { text: shown, ring } = await focused()
        assert.notEqual(ring, 'none', `one can see that "${shown}" has the focus`)
        if (text.test(shown)) return
      }
      assert.fail(`${text} cannot be reached`)
    }
    await tabTo(/Year/)
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-plan="1"][aria-current]')
    assert.match((await focused()).text, /Year/, 'the focus stays where it was')
    await tabTo(/^Open wallet$/)
    await tabTo(/^Copy$/)
    await page.keyboard.press('Enter')
    await page.locator('#live', { hasText: 'Copied' }).waitFor()
    const amount = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.match(
      (await page.locator('.wallet').getAttribute('href'))!,
      new RegExp(`amount=${amount.replace('.', '')}0*$`),
    )
    await tabTo(/^Copy$/)
    await page.keyboard.press('Space')
    await until(async () => (await page.evaluate('navigator.clipboard.readText()')) === address)
    assertGood(misconduct)
  })

  await t.test('every language is spoken, with its own numbers', async (t) => {
    const { id } = await openCheckout(gateway, { address, amount: '1.5', title: 'X' })
    const { page, misconduct } = await openTab(t, browser, gateway, { extraHTTPHeaders: { 'x-own': '1' } })
    for (const language of LANGUAGES) {
      await page.setExtraHTTPHeaders({ 'accept-language': `xx, ${language};q=0.8, en;q=0.1` })
      await page.goto(`${gateway.url}/pay/${id}`)
      assert.equal(await page.locator('html').getAttribute('lang'), language)
      assert.equal(await page.locator('#state').innerText(), TEXTS[language].waiting)
      assert.equal(await page.locator('.wallet').innerText(), TEXTS[language].openWallet)
      const comma = ['de', 'es', 'fr', 'pt'].includes(language)
      assert.match(await page.locator('.price').innerText(), comma ? /^1,50/ : /^1\.50/, language)
    }
    await page.setExtraHTTPHeaders({ 'accept-language': 'fi-FI' })
    await page.reload()
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
    await page.locator('.languages summary').click()
    await page.getByRole('link', { name: '日本語' }).click()
    await page.waitForSelector('html[lang="ja"]')
    assertGood(misconduct)
  })

  await t.test('a merchant’s texts are always shown as plain text', async (t) => {
    const hostile = [
      '<script>window.harmed = 1</script>',
      '"><img src=x onerror="window.harmed=1">',
      "'-alert(1)-'",
      '</title><svg/onload=window.harmed=1>',
      '</noscript><style>*{display:none}</style>',
      '{{constructor.constructor("window.harmed=1")()}}',
      'javascript:alert(1)',
      '&lt;b&gt;&#x3c;script>',
    ]
    const { page, misconduct } = await openTab(t, browser, gateway)
    for (const text of hostile) {
      const plans = [
        { title: text, value: '1' },
        { title: 'B', value: '2' },
      ]
      const { id } = await openCheckout(gateway, { address, title: text, description: text, plans })
      const parameters = new URLSearchParams({ lang: text, plan: text, embed: text, amount: text })
      await page.goto(`${gateway.url}/pay/${id}?${parameters}`)
      assert.equal(await page.locator('h1').innerText(), text)
      assert.equal(await page.locator('p.description').innerText(), text)
      assert.equal(await page.locator('.plan-title').first().innerText(), text)
      assert.equal(await page.evaluate('window.harmed'), undefined)
    }
    assertGood(misconduct)
  })
})
