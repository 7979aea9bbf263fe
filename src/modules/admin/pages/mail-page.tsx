import type { FrameProps } from '../../../kernel/page.ts'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Empty, Moment } from '../../../web/dashboard/show.tsx'
import type { StoredMail } from '../ports.ts'

/** Mail that was stored instead of sent. */
export const MailPage = ({
  frame,
  mails,
  isKept,
}: {
  frame: FrameProps
  mails: readonly StoredMail[]
  isKept: boolean
}) => (
  <Frame
    {...frame}
    title="Mail"
    lead={isKept ? 'Mail is kept here instead of sent, because SMTP_URL is not set.' : 'Mail goes out by SMTP.'}
  >
    {mails.length === 0 ? (
      <Card>
        <Empty title="No mail was kept">
          <p>{isKept ? 'Sign-in links, receipts and notices will appear here.' : 'Sent emails are not kept.'}</p>
        </Empty>
      </Card>
    ) : (
      mails.map((mail) => (
        <Card
          key={mail.id}
          title={mail.subject}
          note={
            <>
              To {mail.recipient}, <Moment at={mail.createdAt} />
            </>
          }
        >
          <pre>{mail.text}</pre>
        </Card>
      ))
    )}
  </Frame>
)
