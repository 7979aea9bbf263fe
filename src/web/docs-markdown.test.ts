import assert from 'node:assert/strict'
import { test } from 'node:test'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { Markdown, parseDocument } from './docs-markdown.tsx'

const resolve = (href: string) => (/^(https?:|#|\/)/.test(href) ? href : undefined)
const html = (source: string) => renderToString(h(Markdown, { blocks: parseDocument(source).blocks, resolve }))

test('a document has its title, its sections, and ids that its own links use', () => {
  const { title, sections } = parseDocument(
    '# The *whole* `API`\n\n## 4.2 `cloud_wallet`\n\ntext\n\n### Deeper\n\n## Next\n',
  )
  assert.equal(title, 'The whole API')
  assert.deepEqual(sections, [
    { id: '42-cloud_wallet', title: '4.2 cloud_wallet' },
    { id: 'next', title: 'Next' },
  ])
})

test('lines of one paragraph stay together; code, emphasis and links are distinguished', () => {
  assert.equal(
    html('One line\nand *another* with `a*b*c`, **bold `x`** and [a `link`](https://nano.org).\n'),
    '<p>One line\nand <em>another</em> with <code>a*b*c</code>, <strong>bold <code>x</code></strong> and <a href="https://nano.org">a <code>link</code></a>.</p>',
  )
  assert.equal(html('2 * 3 * 4 and snake_case_name'), '<p>2 * 3 * 4 and snake_case_name</p>')
  assert.equal(html('`` a`b ``'), '<p><code>a`b</code></p>')
})

test('a link to something that is not shown here becomes plain text', () => {
  assert.equal(html('see [the file](../src/x.ts) and [this](javascript:alert)'), '<p>see the file and this</p>')
})

test('an own picture is shown with its alternative text; without the picture the text remains', () => {
  assert.equal(html('![Growth](/docs/a.svg)'), '<p><img src="/docs/a.svg" alt="Growth" loading="lazy"/></p>')
  assert.equal(html('![Growth](a.svg)'), '<p>Growth</p>')
})

test('markup in a document is shown as text everywhere', () => {
  const evil = '<script>alert(1)</script>'
  const page = html(
    `# ${evil}\n\n${evil}\n\n- ${evil}\n\n| ${evil} |\n|---|\n| ${evil} |\n\n\`\`\`sh\n${evil}\n\`\`\`\n\n> ${evil}\n`,
  )
  assert.doesNotMatch(page, /<script/)
  assert.equal(page.split('&lt;script').length - 1, 7)
})

test('fenced code keeps every character, and hash marks in it are no headings', () => {
  const source = '```sh serves\n# comment\ncurl -d \'{"a":"<b>"}\' x   # 1\n\n| no | table |\n```\nafter'
  assert.equal(
    html(source),
    '<div class="code"><pre tabindex="0" data-language="sh"><code># comment\ncurl -d \'{&quot;a&quot;:&quot;&lt;b>&quot;}\' x   # 1\n\n| no | table |</code></pre><button type="button" class="copy">Copy</button></div><p>after</p>',
  )
  assert.equal(parseDocument(source).title, '')
})

test('a table keeps bars that are escaped, and empty cells', () => {
  assert.match(
    html('| a | b |\n|---|:-:|\n| `x \\| y` | |\n| 2 | 3 |\n'),
    /<th>a<\/th><th>b<\/th>.*<td><code>x \| y<\/code><\/td><td><\/td>.*<td>2<\/td><td>3<\/td>/,
  )
})

test('lists keep their first number, their continued lines, their paragraphs and the lists within', () => {
  assert.equal(
    html('13. one\n    goes on\n14. two\n\n    its paragraph\n\n15. three\n    - deeper\n    - again\n\nafter\n'),
    '<ol start="13"><li>one\ngoes on</li><li>two<p>its paragraph</p></li><li>three<ul><li>deeper</li><li>again</li></ul></li></ol><p>after</p>',
  )
  assert.equal(html('- a\n- b\n1. c'), '<ul><li>a</li><li>b</li></ul><ol start="1"><li>c</li></ol>')
})

test('a comment is not shown, and what it marks is', () => {
  assert.equal(html('<!-- settings -->\nshown\n<!-- /settings -->\n'), '<p>shown</p>')
})
