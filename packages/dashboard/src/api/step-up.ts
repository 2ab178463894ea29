/** Proving again that the person is present, when the server wants it. The dialog registers itself; calls wait for it. */

type Ask = () => Promise<boolean>

let ask: Ask | undefined

export function onStepUp(dialog: Ask | undefined): void {
  ask = dialog
}

/** Whether the person proved it. */
export const stepUp = async (): Promise<boolean> => (ask ? ask() : false)
