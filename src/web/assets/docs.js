/*
 * Without this file the reference consists of pages and forms. With it, an answer needs no new page, the lists are
 * filtered while one types, and code can be copied.
 */

const search = document.querySelector('#docs-q')

/** Keeps the entries that contain every word, and the groups that still have entries. */
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  for (const entry of document.querySelectorAll('[data-find]')) {
    entry.hidden = !words.every((word) => entry.dataset.find.includes(word))
  }
  for (const group of document.querySelectorAll('[data-group]')) {
    group.hidden = !group.querySelector('[data-find]:not([hidden])')
  }
}

search?.addEventListener('input', filter)
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey || !search) return
  event.preventDefault()
  search.focus()
})

// Buttons that need this file are hidden until it runs.
document.documentElement.classList.add('scripted')

async function copy(button) {
  const code = button.parentElement.querySelector('code')
  const said = await navigator.clipboard?.writeText(code.textContent).then(
    () => 'Copied',
    () => undefined,
  )
  // Without https a page has no clipboard; the selected text can be copied by hand.
  if (!said) getSelection().selectAllChildren(code)
  const voice = document.getElementById('copy-said')
  button.textContent = said ?? 'Marked: copy it now'
  voice.textContent = button.textContent
  clearTimeout(button.timer)
  button.timer = setTimeout(() => {
    button.textContent = 'Copy'
    voice.textContent = ''
  }, 2000)
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element && target.closest('button.copy')
  if (button) void copy(button)
})

const form = document.querySelector('form.try')

/** Sends the form like the browser would, and updates what has changed in the page that comes back. */
async function run(button) {
  const fields = new URLSearchParams(new FormData(form, button))
  const response = await fetch(form.action, { method: 'POST', body: fields })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const id of ['docs-result', 'docs-code']) {
    const [mine, theirs] = [document.getElementById(id), page.getElementById(id)]
    if (!theirs) throw new Error(`Status ${response.status}`)
    mine.replaceChildren(...theirs.childNodes)
  }
}

async function answer(button) {
  form.setAttribute('aria-busy', 'true')
  try {
    await run(button)
    if (button?.value === 'code') document.getElementById('code').scrollIntoView()
  } catch (error) {
    document.getElementById('docs-result').textContent = `The gateway did not answer: ${error.message}`
  } finally {
    form.removeAttribute('aria-busy')
  }
}

form?.addEventListener('submit', (event) => {
  event.preventDefault()
  void answer(event.submitter)
})

// The side list may be longer than the window, so the current entry is scrolled into view.
const side = document.querySelector('.docs-side')
const current = side?.querySelector('[aria-current]')
if (current) side.scrollTop = current.offsetTop - side.clientHeight / 2
