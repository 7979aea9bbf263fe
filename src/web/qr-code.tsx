import type { QrOutline } from '../kernel/ports.ts'

/** The code on white, in dark mode too: readers expect dark on light. */
export const QrCode = ({ code, label }: { code: QrOutline; label: string }) => (
  <svg
    class="qr"
    role="img"
    aria-label={label}
    viewBox={`0 0 ${code.size} ${code.size}`}
    shape-rendering="crispEdges"
    xmlns="http://www.w3.org/2000/svg"
  >
    <rect width={code.size} height={code.size} fill="#fff" />
    <path d={code.path} fill="#000" />
  </svg>
)

const HEAD = 12
const TAIL = 6

/** People compare the ends of an address. It is read from left to right in every language. */
export const Address = ({ address }: { address: string }) => (
  <code class="address" dir="ltr">
    <b>{address.slice(0, HEAD)}</b>
    {address.slice(HEAD, -TAIL)}
    <b>{address.slice(-TAIL)}</b>
  </code>
)

interface CopyRowProps {
  label: string
  value: string
  words: { copy: string; copied: string }
  children: preact.ComponentChildren
}

/** A value to be copied; without scripts it can be selected. */
export const CopyRow = ({ label, value, words, children }: CopyRowProps) => (
  <div class="row">
    <dt>{label}</dt>
    <dd>{children}</dd>
    <dd class="act">
      <button
        type="button"
        class="copy"
        data-copy={value}
        data-copied={words.copied}
        aria-label={`${words.copy}: ${label}`}
        hidden
      >
        {words.copy}
      </button>
    </dd>
  </div>
)
