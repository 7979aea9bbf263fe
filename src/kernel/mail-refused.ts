/** The mail server will never take mail for this recipient. Every other failure may pass. */
export class MailRefused extends Error {}
