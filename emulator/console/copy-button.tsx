import { useEffect, useState } from "preact/hooks";

const SHOWN_MS = 2000;

/**
 * Copies the text of the element before it. A browser offers that only on this machine and over https. Elsewhere the button selects
 * the text, and names the keys.
 */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [label, setLabel] = useState("Copy");
  useEffect(() => {
    if (label === "Copy") return;
    const timer = setTimeout(() => setLabel("Copy"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [label]);
  const copy = async ({ currentTarget }: { currentTarget: HTMLElement }) => {
    const shown = currentTarget.previousElementSibling;
    try {
      await navigator.clipboard.writeText(text);
      setLabel("Copied");
    } catch {
      if (shown) getSelection()?.selectAllChildren(shown);
      setLabel("Ctrl+C");
    }
  };
  return (
    <>
      <button type="button" class="copy" aria-label={`Copy ${what}`} onClick={copy}>
        {label}
      </button>
      <span class="unseen" role="status">
        {label === "Copied" ? `${what} copied` : ""}
      </span>
    </>
  );
}
