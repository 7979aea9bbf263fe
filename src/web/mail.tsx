import { renderToString } from 'preact-render-to-string'

/** A part of a mail. Every mail is written once and rendered as plain text and as HTML. */
export type MailPart =
  | { text: string }
  /** Text of the sender, marked as a quotation. */
  | { quote: string }
  /** `quiet` marks links that few people need. */
  | { link: string; label: string; quiet?: true }
  /** Text to copy. */
  | { code: string }

const INK = '#16202b'
const SOFT = '#566575'
const FONT = 'system-ui, -apple-system, Segoe UI, sans-serif'

interface Letter {
  title: string
  parts: readonly MailPart[]
  foot: string
  language?: string
  /** The shop that it is about, in its colour: the name is above the title. */
  shop?: { name: string; colours: { fill: string; ink: string } | null }
}

/** The colours of buttons where no shop has its own. */
const OURS = { fill: '#1f5fb8', ink: '#ffffff' }

const Part = ({ part, colours }: { part: MailPart; colours: { fill: string; ink: string } }) => {
  if ('quote' in part) {
    const style = `margin:16px 0;padding:8px 16px;border-left:4px solid #b8c4cf;color:${INK};white-space:pre-wrap`
    return <blockquote style={style}>{part.quote}</blockquote>
  }
  if ('link' in part) {
    const style = part.quiet
      ? 'color:#1f5fb8'
      : `display:inline-block;padding:12px 20px;border-radius:8px;background:${colours.fill};color:${colours.ink};text-decoration:none`
    return (
      <p style="margin:20px 0">
        <a href={part.link} style={style}>
          {part.label}
        </a>
      </p>
    )
  }
  if ('code' in part) {
    const style = 'margin:12px 0;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:15px;word-break:break-all'
    return <p style={style}>{part.code}</p>
  }
  return <p style="margin:12px 0">{part.text}</p>
}

/** Loads nothing from anywhere: no pictures, fonts or style sheets. Preact escapes everything. */
export function renderMail({ title, parts, foot, language = 'en', shop }: Letter): string {
  const colours = shop?.colours ?? OURS
  const page = (
    <html lang={language} dir={language === 'ar' ? 'rtl' : 'ltr'}>
      <head>
        <meta charset="utf-8" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
      </head>
      <body style={`margin:0;padding:24px 16px;font:16px/1.55 ${FONT};color:${INK};background:#ffffff`}>
        <div style="max-width:560px;margin:0 auto">
          {shop && (
            <p
              dir="auto"
              style={`margin:0 0 20px;padding:12px 16px;border-radius:8px;background:${colours.fill};color:${colours.ink};font-weight:600`}
            >
              {shop.name}
            </p>
          )}
          <h1 style="font-size:22px;line-height:1.3;margin:0 0 16px">{title}</h1>
          {parts.map((part) => (
            <Part part={part} colours={colours} />
          ))}
          <p style={`margin:24px 0 0;color:${SOFT};font-size:14px`}>{foot}</p>
        </div>
      </body>
    </html>
  )
  return `<!doctype html>${renderToString(page)}`
}

/** The same as plain text. */
export function renderMailText({ parts, foot, shop }: Pick<Letter, 'parts' | 'foot' | 'shop'>): string {
  const texts = parts.map((part) => {
    if ('quote' in part) return part.quote.replace(/^/gm, '> ')
    if ('link' in part) return `${part.label}:\n${part.link}`
    return 'code' in part ? part.code : part.text
  })
  return [...(shop ? [shop.name] : []), ...texts, '-- ', foot].join('\n\n').replace('-- \n\n', '-- \n')
}
