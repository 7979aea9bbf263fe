/*
 * A button that opens a checkout in a dialog on a shop's own page:
 *
 *   <script src="https://…/button.js" async></script>
 *   <button data-nano-checkout="5c363461a1b2c3d4">Pay with nano</button>
 *
 * The shop hears of it by the event `nano-checkout` on the button, or by the callbacks of NanoCheckout.open. What it hears is for
 * the eye: whether somebody has paid, its server asks the gateway or receives a webhook.
 */
;(() => {
  const gateway = new URL(document.currentScript.src).origin
  const WORDS = {
    en: ['Payment', 'Close'],
    es: ['Pago', 'Cerrar'],
    fr: ['Paiement', 'Fermer'],
    de: ['Zahlung', 'Schließen'],
    pt: ['Pagamento', 'Fechar'],
    ja: ['お支払い', '閉じる'],
    zh: ['付款', '关闭'],
    ar: ['دفعة', 'إغلاق'],
  }
  // Every content policy allows a style sheet that is made here; a style attribute could be refused.
  const STYLE = `
    dialog { border: 0; padding: 0; margin: auto; width: min(27rem, 100vw); height: min(46rem, 100dvh); max-width: none;
      max-height: none; border-radius: 1.25rem; overflow: hidden; background: #fff; color-scheme: light dark;
      box-shadow: 0 1rem 4rem rgb(0 0 0 / 35%) }
    dialog::backdrop { background: rgb(8 16 24 / 60%) }
    iframe { display: block; border: 0; width: 100%; height: 100% }
    button { position: absolute; inset-block-start: .5rem; inset-inline-end: .5rem; width: 2.75rem; height: 2.75rem; border: 0; border-radius: 50%;
      font: 1.4rem/1 system-ui, sans-serif; color: #10202f; background: #e9eef3; cursor: pointer }
    button:focus-visible { outline: 3px solid #1a5fc7; outline-offset: 2px }
    @media (prefers-color-scheme: dark) { dialog { background: #0f161d } button { color: #e9eff5; background: #2a3846 } }
    @media (max-width: 30rem) { dialog { width: 100vw; height: 100dvh; border-radius: 0 } }`
  // Styles for buttons that ask for them; the shop's own style sheet takes precedence.
  const BUTTON_STYLE = `
    :where([data-nano-style]) { min-height: 2.75rem; padding: .5rem 1.25rem; border: 2px solid #1a5fc7; border-radius: .6rem;
      font: 600 1rem/1.4 system-ui, sans-serif; cursor: pointer; color: #fff; background: #1a5fc7 }
    :where([data-nano-style='outline']) { color: #1a5fc7; background: #fff }
    :where([data-nano-style='dark']) { border-color: #10202f; background: #10202f }
    :where([data-nano-style]:focus-visible) { outline: 3px solid #1a5fc7; outline-offset: 3px }`
  /** A page that has sent nothing by then does not load, or is not a payment page. */
  const ANSWER_MILLISECONDS = 20_000
  const ID = /^(?:(?:id|pay|inv)_)?([0-9a-f]{16})$/i

  function wordsFor(lang) {
    const wanted = [lang, document.documentElement.lang, ...navigator.languages].map((tag) => (tag ?? '').slice(0, 2))
    const language = wanted.find((tag) => Object.hasOwn(WORDS, tag)) ?? 'en'
    return { language, title: WORDS[language][0], close: WORDS[language][1] }
  }

  /** Opens a checkout. `checkout` is its id, or a function that makes one and returns the id. */
  async function open(checkout, { onStatus, onComplete, onDone, onError, onClose, lang } = {}) {
    const given = await (typeof checkout === 'function' ? checkout() : checkout)
    const id = ID.exec(String(given?.id ?? given).trim())?.[1].toLowerCase()
    if (id === undefined) throw new TypeError('NanoCheckout.open needs the id of a checkout.')
    const { language, title, close: closeWord } = wordsFor(lang)

    const host = document.createElement('div')
    const root = host.attachShadow({ mode: 'open' })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(STYLE)
    root.adoptedStyleSheets = [sheet]
    const dialog = document.createElement('dialog')
    const frame = document.createElement('iframe')
    const name = (text) => {
      frame.title = text
      dialog.setAttribute('aria-label', text)
    }
    name(title)
    frame.allow = 'clipboard-write'
    frame.referrerPolicy = 'no-referrer'
    frame.src = `${gateway}/pay/${id}?${new URLSearchParams({ embed: location.origin, lang: language })}`
    const closer = document.createElement('button')
    closer.type = 'button'
    closer.textContent = '×'
    closer.setAttribute('aria-label', closeWord)
    dialog.append(frame, closer)
    root.append(dialog)
    // A script in the head may run before the body exists.
    ;(document.body ?? document.documentElement).append(host)

    let last
    let paid = false
    const silence = setTimeout(
      () => onError?.({ id, message: 'The payment page did not answer.' }),
      ANSWER_MILLISECONDS,
    )
    const hear = ({ origin, source, data }) => {
      // Accepts only messages of the gateway, from this frame, about this checkout.
      if (origin !== gateway || source !== frame.contentWindow) return
      if (data?.source !== 'nano-gateway' || data.id !== id) return
      clearTimeout(silence)
      if (data.type === 'close') dialog.close()
      if (data.type !== 'status' || typeof data.status !== 'string') return
      if (typeof data.merchant === 'string') name(`${title}: ${data.merchant.slice(0, 80)}`)
      const detail = {
        id,
        status: data.status,
        additional_status: data.additional_status,
        success: data.success === true,
      }
      const now = `${detail.status} ${detail.additional_status}`
      if (now === last) return
      last = now
      onStatus?.(detail)
      if (detail.success && !paid) {
        paid = true
        onComplete?.(detail)
      }
    }
    addEventListener('message', hear)
    closer.addEventListener('click', () => dialog.close())
    // A click beside the dialog closes it.
    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
    dialog.addEventListener('close', () => {
      removeEventListener('message', hear)
      clearTimeout(silence)
      host.remove()
      onClose?.({ id, success: paid })
      if (paid) onDone?.({ id })
    })
    dialog.showModal()
    return { id, close: () => dialog.close() }
  }

  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element && event.target.closest('[data-nano-checkout]')
    if (!button || event.defaultPrevented) return
    event.preventDefault()
    const tell = (type) => (detail) =>
      button.dispatchEvent(new CustomEvent('nano-checkout', { bubbles: true, detail: { type, ...detail } }))
    open(button.dataset.nanoCheckout, {
      onStatus: tell('status'),
      onComplete: tell('complete'),
      onDone: tell('done'),
      onError: tell('error'),
      onClose: tell('close'),
      lang: button.dataset.nanoLang,
    }).catch((error) => tell('error')({ message: error.message }))
  })

  const buttons = new CSSStyleSheet()
  buttons.replaceSync(BUTTON_STYLE)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, buttons]
  window.NanoCheckout = Object.freeze({ open })
})()
