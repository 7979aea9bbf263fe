// Small conveniences; every page works without them.
'use strict'

// The token of a mailed link is after the #, which browsers do not send. It is moved to the form and removed from the
// address. The person has to press the button, because mail scanners open links, too.
const byLink = document.getElementById('by-link')
function takeToken() {
  const token = /^#(\w{20,200})$/.exec(location.hash)?.[1]
  if (!byLink || !token) return
  byLink.querySelector('input[name=token]').value = token
  byLink.hidden = false
  // Nobody needs to read the token, or to choose between ways of signing in.
  for (const other of document.querySelectorAll('#by-link .field, .ways-in')) other.hidden = true
  const button = byLink.querySelector('button')
  if (token.startsWith('mem_')) {
    byLink.querySelector('h2').textContent = 'You are invited'
    button.textContent = 'Join'
  }
  button.focus()
  history.replaceState(null, '', location.pathname + location.search)
}
takeToken()
// A link to the page that is already open loads nothing.
addEventListener('hashchange', takeToken)

// Runs once for the loaded page, and again for parts that are added later.
function dress(part) {
  for (const time of part.querySelectorAll('time[datetime]:not([title])')) {
    const at = new Date(time.dateTime)
    time.title = time.textContent
    time.textContent = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  }
  if (!navigator.clipboard) return
  for (const button of part.querySelectorAll('button[data-copy][hidden]')) button.hidden = false
}
dress(document)
addEventListener('shown', () => dress(document))

document.addEventListener('click', ({ target }) => {
  const button = target.closest('button[data-copy]')
  if (!button) return
  const word = button.firstChild
  void navigator.clipboard.writeText(button.dataset.copy).then(() => {
    word.textContent = 'Copied'
    setTimeout(() => (word.textContent = 'Copy'), 2000)
  })
})

// Printing needs a script.
for (const button of document.querySelectorAll('button[data-print][hidden]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}

// The till is most likely in the time zone of its owner.
const zone = document.getElementById('f-time_zone')
if (zone?.value === '') zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone

// A second click would only send the same again.
document.addEventListener('submit', ({ target }) => {
  if (target.method !== 'post') return
  for (const button of target.querySelectorAll('button:not([type=button])')) button.disabled = true
})
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('form[method=post] button:disabled')) button.disabled = false
})

// Rows are added at the end, moved, and removed where they stand: what follows a removed one moves up, so that their order
// stays. Inputs keep their places and names; only what is in them moves.
for (const lines of document.querySelectorAll('[data-rows]')) {
  const [spare, add] = [lines.querySelector('details'), lines.querySelector('.add')]
  if (spare) spare.hidden = true
  const shown = () => [...lines.querySelectorAll(':scope > .line:not(.headings)')]
  const inputsOf = (line) => [...line.querySelectorAll('input')]
  const rest = () => spare?.querySelector('.line') ?? grow()
  const valuesOf = (line) => inputsOf(line).map(({ value }) => value)
  const fill = (line, values) => {
    for (const [cell, input] of inputsOf(line).entries()) input.value = values?.[cell] ?? ''
    // What was wrong here was wrong with what stood here.
    line.classList.remove('wrong')
    for (const error of line.querySelectorAll('.error')) error.remove()
    for (const input of inputsOf(line)) input.removeAttribute('aria-invalid')
  }
  // When no row is left, one more is made like the last.
  const grow = () => {
    const count = shown().length
    const line = shown().at(-1).cloneNode(true)
    for (const one of line.querySelectorAll('input, button'))
      for (const name of ['id', 'name', 'aria-label']) {
        const text = one.getAttribute(name)
        if (!text) continue
        const next =
          name === 'aria-label' ? text.replace(count, count + 1) : text.replace(`[${count - 1}]`, `[${count}]`)
        one.setAttribute(name, next)
      }
    fill(line)
    return line
  }
  const offer = () => {
    add.hidden = shown().length >= Number(lines.dataset.rows)
    const all = shown()
    for (const [at, line] of all.entries())
      for (const button of line.querySelectorAll('.moves button'))
        button.disabled = !all[at + Number(button.dataset.by)]
  }
  for (const button of lines.querySelectorAll('.remove, .moves')) button.hidden = false
  offer()
  // A pasted list fills a row with each of its lines; what has no row stays visible in the last one.
  lines.addEventListener('paste', (event) => {
    const texts = event.clipboardData
      .getData('text')
      .trim()
      .split(/\s*[\r\n]\s*/)
    if (texts.length < 2 || !event.target.closest('.of-1')) return
    event.preventDefault()
    for (const text of texts) {
      const cells = () => shown().map((line) => inputsOf(line)[0])
      if (!add.hidden && cells().every(({ value }) => value)) add.before(rest())
      const cell = cells().find(({ value }) => !value) ?? cells().at(-1)
      cell.value = `${cell.value} ${text}`.trim()
      offer()
    }
    lines.dispatchEvent(new Event('input', { bubbles: true }))
  })
  lines.addEventListener('click', ({ target }) => {
    const line = target.closest('.line')
    const by = target.dataset.by
    if (target === add) {
      const added = rest()
      add.before(added)
      added.querySelector('input').focus()
    } else if (by) {
      const other = shown()[shown().indexOf(line) + Number(by)]
      const [one, two] = [valuesOf(line), valuesOf(other)]
      fill(line, two)
      fill(other, one)
    } else if (target.matches('.remove')) {
      const from = shown().slice(shown().indexOf(line))
      for (const [at, each] of from.entries()) fill(each, from[at + 1] && valuesOf(from[at + 1]))
      if (spare && shown().length > 1) spare.querySelector('.lines').prepend(from.at(-1))
      shown().at(-1).querySelector('input').focus()
    } else return
    offer()
    if (by) {
      // The focus follows what was moved, so that it can be moved on by the same key.
      const now = shown()[shown().indexOf(line) + Number(by)]
      const button = now.querySelector(`[data-by="${by}"]`)
      ;(button.disabled ? now.querySelector('.moves button:not(:disabled)') : button).focus()
    }
    // Nobody has typed, but the values have changed.
    lines.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

// A chosen picture is shown at once. Photos are made smaller before they are sent, and turned upright: what says how a
// camera was held is not stored.
const PICTURE_BYTES = 512 * 1024
const PICTURE_SIDE = 1600
async function shrink(file) {
  const bitmap = await createImageBitmap(file)
  const scale = Math.min(1, PICTURE_SIDE / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return canvas
}
async function showPicture(target, file) {
  try {
    const canvas = await shrink(file)
    if (target.files[0] !== file) return
    const place = target.closest('.upload')
    place.querySelector(':scope > img, :scope > canvas')?.remove()
    place.prepend(canvas)
    target.dispatchEvent(new Event('input', { bubbles: true }))
    const isPhoto = file.type === 'image/jpeg'
    if (!isPhoto && file.size <= PICTURE_BYTES) return
    const type = isPhoto ? file.type : 'image/webp'
    let blob
    for (const quality of [0.85, 0.6, 0.35, 0.1]) {
      blob = await new Promise((resolve) => canvas.toBlob(resolve, type, quality))
      if (blob?.size <= PICTURE_BYTES) break
    }
    if (!blob || target.files[0] !== file) return
    const sent = new DataTransfer()
    sent.items.add(new File([blob], file.name, { type: blob.type }))
    target.files = sent.files
  } catch {
    // Not a picture for this browser: the answer to the form says what is wrong.
  }
}
document.addEventListener('change', ({ target }) => {
  const [file] = target.type === 'file' ? target.files : []
  if (file) void showPicture(target, file)
})

// The text of a colour and its picker follow each other.
document.addEventListener('input', ({ target }) => {
  const [text, picker] = target.closest('.colour')?.children ?? []
  if (target === picker) text.value = picker.value
  else if (target === text && /^#[0-9a-f]{6}$/i.test(text.value.trim())) picker.value = text.value.trim().toLowerCase()
})

// Search opens with a slash, or with Ctrl-K from anywhere.
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select')
  const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey
  if (!isSlash && !(event.key === 'k' && (event.ctrlKey || event.metaKey))) return
  const box = document.querySelector('.search input')
  if (!box) return
  event.preventDefault()
  box.focus()
  box.select()
})

// Closes what was opened on top of the page.
document.addEventListener('click', ({ target }) => {
  for (const open of document.querySelectorAll('.new[open], .more > details[open]')) {
    if (!open.contains(target)) open.open = false
  }
})
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return
  for (const open of document.querySelectorAll('.new[open], .more > details[open]')) {
    open.open = false
    open.querySelector('summary').focus()
  }
})
