// Adds Nano to the block-based checkout. Used as it is, without a build.
;(() => {
  const { registerPaymentMethod } = window.wc.wcBlocksRegistry
  const { createElement } = window.wp.element
  const { decodeEntities } = window.wp.htmlEntities
  const settings = window.wc.wcSettings.getSetting('nano_gateway_data', {})
  const title = decodeEntities(settings.title || 'Nano')
  const text = () => decodeEntities(settings.description || '')
  registerPaymentMethod({
    name: 'nano_gateway',
    paymentMethodId: 'nano_gateway',
    label: createElement('span', null, title),
    ariaLabel: title,
    content: createElement(text),
    edit: createElement(text),
    canMakePayment: () => true,
    supports: { features: settings.supports || ['products'] },
  })
})()
