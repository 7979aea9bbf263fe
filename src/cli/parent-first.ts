import { onParentGone } from './stop.ts'

// Until there is something to end in order, this process just exits: whatever it has written by then survives a kill as well.
onParentGone(() => process.exit(1))
// A command that has done its work ends while the channel is open.
process.channel?.unref()
