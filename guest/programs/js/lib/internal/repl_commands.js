// repl_commands: what begins with a dot.
'use strict';

const fs = () => require('fs');

const save = {
    help: 'Save all evaluated commands in this REPL session to a file',
    action(file) {
        try {
            if (file === '') throw require('internal/validators').missing('file');
            fs().writeFileSync(file, this.lines.join('\n'));
            this.output.write(`Session saved to: ${file}\n`);
        } catch (error) {
            this.output.write(error.code === 'ERR_MISSING_ARGS' ? `${error.message}\n` : `Failed to save: ${file}\n`);
        }
        this.displayPrompt();
    },
};

const help = {
    help: 'Print this help message',
    action() {
        const names = Object.keys(this.commands).sort(), longest = Math.max(...names.map(name => name.length));
        for (const name of names) {
            const { help: text } = this.commands[name];
            this.output.write(`.${name}${text ? ' '.repeat(longest - name.length + 3) + text : ''}\n`);
        }
        this.output.write('\nPress Ctrl+C to abort current expression, Ctrl+D to exit the REPL\n');
        this.displayPrompt();
    },
};

// hooks: what only the server itself can do.
function define(repl, { clearBuffer, loading, evaluateEditor }) {
    repl.defineCommand('break', {
        help: 'Sometimes you get stuck, this gets you out',
        action() {
            clearBuffer();
            this.displayPrompt();
        },
    });
    repl.defineCommand('clear', {
        help: repl.useGlobal ? 'Alias for .break' : 'Break, and also clear the local context',
        action() {
            clearBuffer();
            if (!this.useGlobal) {
                this.output.write('Clearing context...\n');
                this.resetContext();
            }
            this.displayPrompt();
        },
    });
    repl.defineCommand('exit', {
        help: 'Exit the REPL',
        action() {
            this.close();
        },
    });
    repl.defineCommand('help', help);
    repl.defineCommand('save', save);
    repl.defineCommand('load', {
        help: 'Load JS from a file into the REPL session',
        action(file) {
            try {
                if (file === '') throw require('internal/validators').missing('file');
                if (!fs().statSync(file).isFile()) {
                    this.output.write(`Failed to load: ${file} is not a valid file\n`);
                    return this.displayPrompt();
                }
                const text = fs().readFileSync(file, 'utf8'), prompt = this.getPrompt();
                this.editorMode = true;
                loading(true);
                for (const line of text.split(/\r?\n/)) this.emit('line', line);
                loading(false);
                this.setPrompt(prompt);
                evaluateEditor();
            } catch (error) {
                loading(false);
                this.output.write(error.code === 'ERR_MISSING_ARGS' ? `${error.message}\n` : `Failed to load: ${file}\n`);
            }
            return this.displayPrompt();
        },
    });
    if (!repl.terminal) return;
    repl.defineCommand('editor', {
        help: 'Enter editor mode',
        action() {
            this.editorMode = true;
            require('readline').Interface.prototype.setPrompt.call(this, ''); // the REPL's own stays what it is
            this.output.write('// Entering editor mode (Ctrl+D to finish, Ctrl+C to cancel)\n');
        },
    });
}

module.exports = { define };
