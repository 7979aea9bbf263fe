// Shows the buyer's page of an offer beside its form while the form is filled in. Without this script there is only the
// form.
'use strict'
const preview = document.querySelector('[data-preview]')
const form = document.querySelector('[data-previewed] form')

const typed = (name) => form.elements.namedItem(name)?.value.trim() ?? ''

/** Not a number, so the form would be refused as well. */
function toNumber(text, currency) {
  const [, whole, fraction = ''] = /^(\d*)(?:[.,](\d+))?$/.exec(text.replaceAll(/\s/g, '')) ?? []
  const isUnclear = fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole)
  if (whole === undefined || whole + fraction === '') return Number.NaN
  return isUnclear && (text.includes(',') || currency !== 'NANO')
    ? Number.NaN
    : Number(`${whole || 0}.${fraction || 0}`)
}

function show(text) {
  const currency = typed('currency') || 'NANO'
  const number = toNumber(text, currency)
  if (Number.isNaN(number)) return ''
  if (currency === 'NANO') return `${number.toLocaleString('en', { maximumFractionDigits: 6 })} nano`
  return number.toLocaleString('en', { style: 'currency', currency })
}

function options(purpose) {
  if (purpose === 'donation')
    return [...form.querySelectorAll('input[name^="suggested["]')]
      .map(({ value }) => [show(value.trim()), ''])
      .filter(([amount]) => amount !== '')
  const names = [...form.querySelectorAll('input[name^="plans["][name$=".title"]')]
  return names
    .map(({ name, value }) => [value.trim(), show(typed(name.replace('.title', '.value')))])
    .filter(([title, price]) => title !== '' || price !== '')
}

/** The picture as the form shows it; the page may not load it from anywhere else. */
function picture() {
  const shown = form.querySelector('.upload > img, .upload > canvas')
  if (!shown) return []
  const copy = document.createElement('canvas')
  copy.width = shown.naturalWidth ?? shown.width
  copy.height = shown.naturalHeight ?? shown.height
  if (copy.width > 0) copy.getContext('2d').drawImage(shown, 0, 0)
  return [copy]
}

function renew() {
  preview.querySelector('[data-show="picture"]').replaceChildren(...picture())
  const purpose = typed('for')
  const offered = options(purpose)
  const price = offered.length > 0 || purpose === 'donation' ? '' : show(typed('amount'))
  const every = purpose === 'membership' ? typed('every') : ''
  const texts = { title: typed('title') || 'Payment', description: typed('description'), price }
  texts.every = every === '' ? '' : /^\d+$/.test(every) ? `every ${every} days` : `every ${every}`
  for (const [name, text] of Object.entries(texts)) {
    const place = preview.querySelector(`[data-show="${name}"]`)
    place.textContent = text
    place.hidden = text === ''
  }
  const list = preview.querySelector('ul')
  list.hidden = offered.length === 0
  list.replaceChildren(
    ...offered.map((parts) => {
      const item = document.createElement('li')
      item.append(
        ...parts.map((part) => {
          const span = document.createElement('span')
          span.textContent = part
          return span
        }),
      )
      return item
    }),
  )
}

if (preview && form) {
  preview.hidden = false
  renew()
  form.addEventListener('input', renew)
}
