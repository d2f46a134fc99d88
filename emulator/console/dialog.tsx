import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

interface DialogProps {
  title: string;
  /** The label of the button that does it. */
  action: string;
  isDangerous?: boolean;
  children: ComponentChildren;
  /** @returns the words of a refusal, which keep the dialog open */
  onSubmit: (fields: FormData) => Promise<string | undefined>;
  onClose: () => void;
}

/** A question that a person answers before something is sent. The browser keeps the focus inside, and Escape closes it. */
export function Dialog({ title, action, isDangerous = false, children, onSubmit, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => dialog.current?.showModal(), []);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const refused = await onSubmit(new FormData(event.currentTarget as HTMLFormElement));
    if (refused === undefined) dialog.current?.close();
    else setRefusal(refused);
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id={id}>{title}</h2>
        {children}
        <p class="refusal" role="alert">
          {refusal}
        </p>
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? "danger" : "primary"}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
