// The button “Test connection” of the settings.
document.addEventListener('DOMContentLoaded', () => {
  const button = document.getElementById('nano-gateway-test')
  const list = document.getElementById('nano-gateway-test-result')
  if (!button || !list) return
  const show = (lines) =>
    list.replaceChildren(
      ...lines.map(({ good, text }) => {
        const item = document.createElement('li')
        item.textContent = `${good === undefined ? '' : good ? '✓ ' : '✗ '}${text}`
        return item
      }),
    )
  button.addEventListener('click', async () => {
    button.disabled = true
    show([{ text: button.dataset.waiting }])
    try {
      const body = new URLSearchParams({ action: 'nano_gateway_test', _ajax_nonce: button.dataset.nonce })
      const reply = await fetch(button.dataset.url, { method: 'POST', credentials: 'same-origin', body })
      const { success, data } = await reply.json()
      if (!success) throw new Error('refused')
      show(data)
    } catch {
      show([{ good: false, text: button.dataset.failed }])
    }
    button.disabled = false
  })
})
