/* editor.ts: the editor: loaded after the first prompt. */
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { Compartment, EditorState } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";
import { basicSetup, EditorView } from "codemirror";

const LANGUAGES = {
  shell: () => StreamLanguage.define(shell),
  javascript: () => javascript({ typescript: true }),
  python: () => python(),
};
export type EditorLanguage = keyof typeof LANGUAGES;

const colours = HighlightStyle.define([
  {
    tag: [t.keyword, t.controlKeyword, t.definitionKeyword, t.moduleKeyword],
    color: "var(--code-keyword)",
  },
  { tag: [t.string, t.special(t.string)], color: "var(--code-string)" },
  { tag: [t.number, t.bool, t.null], color: "var(--code-number)" },
  { tag: t.comment, color: "var(--quiet)", fontStyle: "italic" },
  {
    tag: [t.function(t.variableName), t.standard(t.variableName), t.propertyName],
    color: "var(--code-name)",
  },
  { tag: [t.definition(t.variableName)], color: "var(--code-name)" },
]);
const look = EditorView.theme({
  "&": { height: "100%", fontSize: "13.5px", color: "var(--text)", backgroundColor: "transparent" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--accent)", padding: "10px 0" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--quiet)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  "&.cm-focused": { outline: "none" },
  "&.cm-focused .cm-cursor": { borderLeftColor: "var(--accent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection) !important",
  },
});

export class Editor {
  readonly #view: EditorView;
  readonly #language = new Compartment();

  constructor(place: HTMLElement, text: string, language: EditorLanguage, onRun: () => void) {
    this.#view = new EditorView({
      parent: place,
      state: EditorState.create({
        doc: text,
        extensions: [
          keymap.of([{ key: "Mod-Enter", run: () => (onRun(), true) }]),
          basicSetup,
          syntaxHighlighting(colours),
          look,
          EditorView.contentAttributes.of({ "aria-label": "Program. Ctrl+Enter runs it." }),
          EditorView.lineWrapping,
          this.#language.of(LANGUAGES[language]()),
        ],
      }),
    });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  set(text: string, language: EditorLanguage): void {
    this.#view.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert: text },
      effects: this.#language.reconfigure(LANGUAGES[language]()),
    });
  }
}
