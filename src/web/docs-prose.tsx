/** Backticks mark code in descriptions, as they do in the sources. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
)
