# What an agent wrote: pays the open invoices, keeps the books, and tells the accountant.
total=0
while IFS=, read -r id supplier iban amount; do
    [ "$id" = id ] && continue
    if paid=$(pay --invoice "$id" --iban "$iban" --amount "$amount"); then
        receipt=$(jq -r .receipt <<< "$paid") amount=$(jq .amount <<< "$paid")
        echo "2026-01-12,$id,$amount,$receipt" >> paid.csv
        sed -i "/^$id,/d" invoices.csv
        total=$((total + amount))
        echo "paid $supplier $amount"
    else
        echo "not paid: $supplier $amount" | tee -a open.txt
    fi
done < <(cat invoices.csv)
balance=$(get_balance)
echo "balance $balance after $total"
[ "$balance" -lt 1000 ] && echo "low balance: $balance" > warning.txt
send_mail --to accountant@example.com --subject "paid $total" > sent.json
