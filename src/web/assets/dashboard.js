// Small comforts. Every page works without them.
'use strict'

// The token of a mailed link stands behind the #, which browsers do not send. It goes into the form and out of the
// address; the person presses the button, because programs that look through mail open links, too.
const byLink = document.getElementById('by-link')
function takeToken() {
  const token = /^#(\w{20,200})$/.exec(location.hash)?.[1]
  if (!byLink || !token) return
  byLink.querySelector('input[name=token]').value = token
  byLink.hidden = false
  // Nobody has to read the token, or to choose between ways in.
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
// A link that is opened where this page stands already loads nothing.
addEventListener('hashchange', takeToken)

// Once for what the page came with, and again for what came into it later.
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

// A till stands where its owner is, most likely.
const zone = document.getElementById('f-time_zone')
if (zone?.value === '') zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone

// A second click would only ask for the same again.
document.addEventListener('submit', ({ target }) => {
  if (target.method !== 'post') return
  for (const button of target.querySelectorAll('button:not([type=button])')) button.disabled = true
})
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('form[method=post] button:disabled')) button.disabled = false
})

// Rows are added at the end and removed where they stand: what follows moves up, so that their order stays.
for (const lines of document.querySelectorAll('[data-rows]')) {
  const [spare, add] = [lines.querySelector('details'), lines.querySelector('.add')]
  if (spare) spare.hidden = true
  const shown = () => [...lines.querySelectorAll(':scope > .line:not(.headings)')]
  const inputsOf = (line) => [...line.querySelectorAll('input')]
  const rest = () => spare?.querySelector('.line')
  const offer = () => (add.hidden = !rest())
  for (const button of lines.querySelectorAll('.remove')) button.hidden = false
  offer()
  lines.addEventListener('click', ({ target }) => {
    if (target === add) {
      const line = rest()
      add.before(line)
      line.querySelector('input').focus()
    } else if (target.matches('.remove')) {
      const from = shown().slice(shown().indexOf(target.parentElement))
      for (const [at, line] of from.entries())
        for (const [cell, input] of inputsOf(line).entries())
          input.value = from[at + 1] ? inputsOf(from[at + 1])[cell].value : ''
      if (spare && shown().length > 1) spare.querySelector('.lines').prepend(from.at(-1))
      shown().at(-1).querySelector('input').focus()
      // Nobody has typed, but what stands there has changed.
      lines.dispatchEvent(new Event('input', { bubbles: true }))
    }
    offer()
  })
}

// Search by a slash, or by Ctrl-K from anywhere.
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

// What was opened above the page closes again.
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
